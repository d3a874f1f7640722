/** Often enough to see every turn that matters. */
const TICK_MS = 1;

/**
 * Measures how long the event loop of this thread is held: the most CPU time between two turns. CPU time, because a machine
 * that is busy with something else takes wall-clock time from a thread that holds nothing.
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
