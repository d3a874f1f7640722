const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts; returns a function that removes it. For a signal with many listeners: Node
 * walks all of them whenever one is added or removed.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let listeners = waiting.get(signal);
  if (!listeners) {
    const all = new Set<() => void>();
    signal.addEventListener('abort', () => all.forEach((one) => one()), { once: true });
    waiting.set(signal, all);
    listeners = all;
  }
  const own = listeners.add(listener);
  return () => own.delete(listener);
}
