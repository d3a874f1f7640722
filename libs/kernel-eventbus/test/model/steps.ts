/** A point at which a worker waits for the schedule. */
export interface Pause<T> {
  /** Continues the worker with this value. */
  resume(value: T): void;
  readonly resumed: Promise<T>;
}

/** Counts the running work of a worker, so a command can end when everything waits for the schedule again. */
export class Steps {
  #running = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
    if (this.#running === 0) {
      this.#waiting.splice(0).forEach((go) => go());
    }
  }

  pause<T>(): Pause<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    let isPaused = true;
    this.end();
    return {
      resumed: promise,
      resume: (value) => {
        if (isPaused) {
          isPaused = false;
          this.begin();
          resolve(value);
        }
      },
    };
  }

  /** Resolves when all work has ended or waits for the schedule. */
  async quiet(): Promise<void> {
    while (this.#running > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
