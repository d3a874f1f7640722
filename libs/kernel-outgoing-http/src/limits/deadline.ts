import { onAbort } from './on-abort.js';

/** Longest delay of setTimeout; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/** One signal for timeout and cancellation by the caller; `isExpired` tells them apart. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly forgetCaller: (() => void) | undefined;
  private hasExpired = false;

  constructor(timeoutMs: number, callerSignal?: AbortSignal) {
    this.timer = setTimeout(() => this.expire(), Math.min(timeoutMs, longestDelayMs));
    const giveUp = () => this.controller.abort();
    if (callerSignal?.aborted) giveUp();
    this.forgetCaller = callerSignal && onAbort(callerSignal, giveUp);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isExpired(): boolean {
    return this.hasExpired;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.forgetCaller?.();
  }

  private expire(): void {
    this.hasExpired = true;
    this.controller.abort();
  }
}
