const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts, and returns the function that takes it back. For a signal that many wait for at once:
 * Node walks all of its listeners for each one that comes or goes.
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
