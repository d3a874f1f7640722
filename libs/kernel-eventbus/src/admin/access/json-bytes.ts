/**
 * How many bytes a parsed body has as JSON text, without blanks. Without recursion, for bodies may be nested deeper than the stack
 * is.
 */
export function jsonBytes(body: unknown): number {
  let bytes = 0;
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) {
      bytes += Buffer.byteLength(JSON.stringify(value) ?? '');
      continue;
    }
    const names = Array.isArray(value) ? [] : Object.keys(value);
    const members = Object.values(value) as unknown[];
    // A pair of brackets, a comma between members, a colon behind each name.
    bytes += 2 + Math.max(members.length - 1, 0) + names.length;
    names.forEach((name) => (bytes += Buffer.byteLength(JSON.stringify(name))));
    members.forEach((member) => open.push(member));
  }
  return bytes;
}
