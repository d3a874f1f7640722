/**
 * Runs its work on demand, at most once per interval and one at a time; concurrent callers share a run. A caller waits
 * at most `patienceMs`: a scrape with stale gauges is better than none.
 */
export class RefreshOnce {
  #running: Promise<void> | undefined;
  #nextAt = 0;
  #isStopped = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly times: { intervalMs: number; patienceMs: number },
  ) {}

  async fresh(): Promise<void> {
    if (!this.#isStopped && performance.now() >= this.#nextAt) {
      this.#nextAt = performance.now() + this.times.intervalMs;
      this.#running ??= this.work().finally(() => {
        this.#running = undefined;
      });
    }
    if (this.#running) {
      await this.waitPatiently(this.#running);
    }
  }

  /** Starts no more work and waits for a running one: a query must not reach a closing pool. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  private async waitPatiently(running: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.times.patienceMs);
    });
    await Promise.race([running, enough]).finally(() => clearTimeout(timer));
  }
}
