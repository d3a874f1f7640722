export type Container = Record<string, unknown>;

/** A deep copy that shares nothing with the original. It does not recurse: depth cannot exhaust the stack. */
export function copyJson(original: unknown): unknown {
  if (!isContainer(original)) {
    return original;
  }
  const copy = emptyLike(original);
  const pending: [Container, Container][] = [[original, copy]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to] = next;
    for (const key of Object.keys(from)) {
      const value = from[key];
      const copied = isContainer(value) ? emptyLike(value) : value;
      setOwn(to, key, copied);
      if (isContainer(value)) {
        pending.push([value, copied as Container]);
      }
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
  return (Array.isArray(value) ? [] : {}) as Container;
}
