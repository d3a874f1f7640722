const MAX_QUOTED = 40;

/** A short quote of an invalid input for a message; of lists and objects only the kind, at any depth. */
export function quoteInput(input: unknown): string {
  if (typeof input === 'string') {
    return JSON.stringify(input.length > MAX_QUOTED ? `${input.slice(0, MAX_QUOTED)}…` : input);
  }
  if (typeof input === 'object' && input !== null) {
    return Array.isArray(input) ? 'a list' : 'an object';
  }
  return JSON.stringify(input) ?? 'nothing';
}
