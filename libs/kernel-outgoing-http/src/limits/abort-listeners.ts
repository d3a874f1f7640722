/** Work that ends with a signal. */
export interface Abortable {
  abort(): void;
}

const bySignal = new WeakMap<AbortSignal, Set<Abortable>>();

/**
 * The set of works that are aborted with the signal. For a signal with many listeners: Node walks all of them whenever
 * one is added or removed.
 */
export function abortedWith(signal: AbortSignal): Set<Abortable> {
  const known = bySignal.get(signal);
  if (known) return known;
  const works = new Set<Abortable>();
  signal.addEventListener('abort', () => works.forEach((work) => work.abort()), { once: true });
  bySignal.set(signal, works);
  return works;
}
