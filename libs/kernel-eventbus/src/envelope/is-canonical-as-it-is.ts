/** Deeper or cyclic values are left to `canonicalize`, which does not recurse. */
const DEEPEST = 32;

/**
 * True if `JSON.stringify` writes the RFC 8785 text of a value, in a fraction of the time: for plain objects with
 * members in order, arrays and JSON scalars. False if in doubt. An object that reads differently each time has no
 * canonical text either way.
 */
export function isCanonicalAsItIs(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return true;
    case 'undefined':
      // Both serialisers omit it from objects and write null in arrays.
      return depth > 0;
    case 'object':
      return value === null || (depth < DEEPEST && isInOrder(value, depth + 1));
    default:
      return false;
  }
}

function isInOrder(value: object, depth: number): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return false;
  }
  if (Array.isArray(value)) {
    return value.every((item) => isCanonicalAsItIs(item, depth));
  }
  return (
    Object.getPrototypeOf(value) === Object.prototype && hasMembersInOrder(value as Record<string, unknown>, depth)
  );
}

function hasMembersInOrder(value: Record<string, unknown>, depth: number): boolean {
  let before = '';
  for (const name of Object.keys(value)) {
    // By UTF-16 code units, as the RFC requires.
    if (name < before || !name.isWellFormed() || !isCanonicalAsItIs(value[name], depth)) {
      return false;
    }
    before = name;
  }
  return true;
}
