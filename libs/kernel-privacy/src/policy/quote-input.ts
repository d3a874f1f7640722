const MAX_QUOTED = 40;

/** What was given instead of a word, for a message: short, and of lists and objects their kind alone, however deep they are. */
export function quoteInput(input: unknown): string {
  if (typeof input === 'string') {
    return JSON.stringify(input.length > MAX_QUOTED ? `${input.slice(0, MAX_QUOTED)}…` : input);
  }
  if (typeof input === 'object' && input !== null) {
    return Array.isArray(input) ? 'a list' : 'an object';
  }
  return JSON.stringify(input) ?? 'nothing';
}
