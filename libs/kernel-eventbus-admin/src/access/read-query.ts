/**
 * The parameters of the URL as sent; a repeated parameter is an array. The host's parser may be off or drop parameters:
 * Node's own drops all after the first thousand.
 */
export function readQuery(url: string): Record<string, string | string[]> {
  // No prototype, so `__proto__` is an ordinary name.
  const query = Object.create(null) as Record<string, string | string[]>;
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start));
  for (const [name, value] of parameters) {
    const given = query[name];
    query[name] = given === undefined ? value : [given, value].flat();
  }
  return query;
}
