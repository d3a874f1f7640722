/** Frequent enough to see every relevant turn. */
const TICK_MS = 1;

/**
 * Measures how long the event loop of this thread is blocked: the maximum CPU time between two turns. CPU time, because
 * other load on the machine takes wall-clock time from a thread that blocks nothing.
 */
export class LoopWatch {
  #longestMs = 0;
  #lastMs = threadCpuMs();
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);

  stop(): number {
    this.#tick();
    clearInterval(this.#timer);
    return this.#longestMs;
  }

  #tick(): void {
    const now = threadCpuMs();
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastMs);
    this.#lastMs = now;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
