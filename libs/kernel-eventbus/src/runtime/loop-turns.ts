import { setImmediate as nextTurn } from 'node:timers/promises';

/** Far below what a caller notices, far above what a turn of the loop costs. */
const SLICE_MS = 15;

/**
 * Lets the event loop turn between the parts of long work, so that the rest of the process goes on meanwhile. A part is the
 * caller's to keep short.
 */
export class LoopTurns {
  #since = performance.now();

  /** Nothing to wait for while the slice is not used up: `if (turns.isDue) await turns.next();` costs a hot loop no promise. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** The same where a promise more does not matter. */
  async nextIfDue(): Promise<void> {
    if (this.isDue) {
      await this.next();
    }
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
