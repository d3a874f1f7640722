/** The longest delay that setTimeout takes; above it, it fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/** One signal for "out of time" and "the caller gave up", and which of the two it was. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly giveUp = () => this.controller.abort();
  private hasExpired = false;

  constructor(
    timeoutMs: number,
    private readonly callerSignal?: AbortSignal,
  ) {
    this.timer = setTimeout(() => this.expire(), Math.min(timeoutMs, longestDelayMs));
    if (callerSignal?.aborted) this.giveUp();
    callerSignal?.addEventListener('abort', this.giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isExpired(): boolean {
    return this.hasExpired;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.callerSignal?.removeEventListener('abort', this.giveUp);
  }

  private expire(): void {
    this.hasExpired = true;
    this.controller.abort();
  }
}
