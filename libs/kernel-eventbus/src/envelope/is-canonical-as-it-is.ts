/** Deeper than most; what is deeper still, or goes in circles, is left to whoever does not recurse. */
const DEEPEST = 32;

/**
 * Whether the engine's own `JSON.stringify` writes the RFC 8785 text of a value, in a fraction of the time: of plain objects whose
 * members are in order already, arrays, and scalars that JSON has. It says no where it would have to think. An object that answers
 * otherwise each time it is read has no text of its own, with or without this.
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
      // Left out of objects and null in arrays, by either of them.
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
    // By UTF-16 code units, as the RFC demands.
    if (name < before || !name.isWellFormed() || !isCanonicalAsItIs(value[name], depth)) {
      return false;
    }
    before = name;
  }
  return true;
}
