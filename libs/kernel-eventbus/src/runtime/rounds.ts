import type { SchedulerRegistry } from '@nestjs/schedule';

/**
 * Repeats a work that never throws, at an interval, one round at a time. `stop` waits for the round under way: a query that
 * begins while the pool is being closed would take a connection that nobody gives back, and the process would never end.
 */
export class Rounds {
  #running: Promise<void> | undefined;

  constructor(
    private readonly scheduler: SchedulerRegistry,
    private readonly name: string,
    private readonly work: () => Promise<void>,
  ) {}

  start(intervalMs: number): void {
    this.scheduler.addInterval(
      this.name,
      setInterval(() => {
        this.#running ??= this.work().finally(() => {
          this.#running = undefined;
        });
      }, intervalMs),
    );
  }

  async stop(): Promise<void> {
    if (this.scheduler.doesExist('interval', this.name)) {
      this.scheduler.deleteInterval(this.name);
    }
    await this.#running;
  }
}
