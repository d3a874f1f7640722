/** One text per setting that differs: `max_age is 60000000000, demanded is 30000000000`. */
export function listDifferences(demanded: object, found: object): string[] {
  const actual = found as Record<string, unknown>;
  return Object.entries(demanded)
    .filter(([name, value]) => JSON.stringify(actual[name] ?? absent(value)) !== JSON.stringify(value))
    .map(([name, value]) => `${name} is ${JSON.stringify(actual[name])}, demanded is ${JSON.stringify(value)}`);
}

/** The broker omits values that are false or zero. */
function absent(value: unknown): unknown {
  return typeof value === 'boolean' ? false : typeof value === 'number' ? 0 : undefined;
}
