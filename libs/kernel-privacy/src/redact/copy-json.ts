export type Container = Record<string, unknown>;

export const { isArray } = Array;
export const { keys: keysOf } = Object;

/** A deep copy that shares nothing with the original. Not recursive, so depth cannot exhaust the stack. */
export function copyJson(original: unknown): unknown {
  if (!isContainer(original)) {
    return original;
  }
  const copy = emptyLike(original);
  const pending: [Container, Container][] = [[original, copy]];
  const copyOf = (value: unknown) => {
    if (!isContainer(value)) {
      return value;
    }
    const copied = emptyLike(value);
    pending.push([value, copied]);
    return copied;
  };
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to] = next;
    if (isArray(from)) {
      (from as unknown[]).forEach((value) => (to as unknown as unknown[]).push(copyOf(value)));
    } else {
      keysOf(from).forEach((key) => setOwn(to, key, copyOf(from[key])));
    }
  }
  return copy;
}

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Assigning `__proto__` would change the prototype; as data it must be an own property like any other. */
export function setOwn(target: Container, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

export function emptyLike(value: Container): Container {
  return (isArray(value) ? [] : {}) as Container;
}
