/** Deeper or cyclic values are left to `canonicalize`, which does not recurse. */
const DEEPEST = 32;
const ZERO = 0x30;
const NINE = 0x39;

/** For values that only `canonicalize` can write, or must refuse. */
export const IN_DOUBT = Symbol('in doubt');

/**
 * An equal value of which `JSON.stringify` writes the RFC 8785 text, in a fraction of the time: for plain objects,
 * arrays and JSON scalars. The value itself if all members are in order, otherwise a copy. An object that reads
 * differently each time has no canonical text either way.
 */
export function inCanonicalOrder(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : IN_DOUBT;
    case 'number':
      return Number.isFinite(value) ? value : IN_DOUBT;
    case 'boolean':
      return value;
    case 'undefined':
      // Both serialisers omit it from objects and write null in arrays.
      return depth > 0 ? value : IN_DOUBT;
    case 'object':
      if (value === null) {
        return value;
      }
      return depth < DEEPEST && hasNoToJson(value) ? orderObject(value, depth + 1) : IN_DOUBT;
    default:
      return IN_DOUBT;
  }
}

function hasNoToJson(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}

function orderObject(value: object, depth: number): unknown {
  if (Array.isArray(value)) {
    return orderItems(value, depth);
  }
  return Object.getPrototypeOf(value) === Object.prototype
    ? orderMembers(value as Record<string, unknown>, depth)
    : IN_DOUBT;
}

function orderItems(items: unknown[], depth: number): unknown {
  let copy: unknown[] | undefined;
  for (let place = 0; place < items.length; place++) {
    const item = items[place];
    const ordered = inCanonicalOrder(item, depth);
    if (ordered === IN_DOUBT) {
      return IN_DOUBT;
    }
    if (ordered !== item) {
      copy ??= [...items];
      copy[place] = ordered;
    }
  }
  return copy ?? items;
}

function orderMembers(value: Record<string, unknown>, depth: number): unknown {
  const names = Object.keys(value);
  const isInOrder = names.every((name, place) => place === 0 || names[place - 1]! < name);
  if (!isInOrder) {
    // By UTF-16 code units, as the RFC requires.
    names.sort();
  }
  let copy: Record<string, unknown> | undefined = isInOrder ? undefined : {};
  for (const name of names) {
    const member = value[name];
    const ordered = inCanonicalOrder(member, depth);
    if (ordered === IN_DOUBT || !name.isWellFormed() || !(isInOrder || keepsItsPlace(name))) {
      return IN_DOUBT;
    }
    if (copy || ordered !== member) {
      copy ??= { ...value };
      copy[name] = ordered;
    }
  }
  return copy ?? value;
}

/** Objects list names that are array indexes first, wherever they were added; `__proto__` cannot be added. */
function keepsItsPlace(name: string): boolean {
  const first = name.charCodeAt(0);
  return name !== '__proto__' && !(first >= ZERO && first <= NINE);
}
