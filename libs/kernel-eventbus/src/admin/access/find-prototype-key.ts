/**
 * Where a body has a member called `__proto__`, if anywhere. JSON has such names, objects drop them: what was sent would be
 * accepted and ignored. Without recursion, for bodies may be nested deeper than the stack is.
 */
export function findPrototypeKey(body: unknown): string | undefined {
  const open: { path: string; value: unknown }[] = [{ path: '', value: body }];
  for (let next; (next = open.pop());) {
    const { path, value } = next;
    if (typeof value !== 'object' || value === null) {
      continue;
    }
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (name === '__proto__') {
        return at;
      }
      open.push({ path: at, value: member });
    }
  }
  return undefined;
}
