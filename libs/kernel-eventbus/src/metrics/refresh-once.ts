/**
 * Does its work for whoever asks, at most once per interval and once at a time; those who ask meanwhile share it. Nobody waits
 * for longer than `patienceMs`: a scrape without fresh gauges is worth more than none.
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

  /** No work begins any more, and none is under way: a query must not meet a pool that is being closed. */
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
