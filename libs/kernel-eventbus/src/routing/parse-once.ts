/** Parsed when it is first asked for, and not again: most events go to endpoints that do not look into them. */
export function parseOnce(json: string): () => unknown {
  let parsed: { value: unknown } | undefined;
  return () => (parsed ??= { value: JSON.parse(json) as unknown }).value;
}
