import type { SchedulerRegistry } from '@nestjs/schedule';

/**
 * Runs a job that never throws at an interval, one run at a time. `stop` waits for the current run: a query that starts
 * while the pool closes would take a connection that is never released, and the process would not exit.
 */
export class IntervalJob {
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

  /** Starts no further run. */
  cancel(): void {
    if (this.scheduler.doesExist('interval', this.name)) {
      this.scheduler.deleteInterval(this.name);
    }
  }

  async stop(): Promise<void> {
    this.cancel();
    await this.#running;
  }
}
