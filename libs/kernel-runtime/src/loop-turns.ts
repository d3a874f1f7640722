import { setImmediate as nextTurn } from 'node:timers/promises';

/** Far below a noticeable delay, far above the cost of a turn of the event loop. */
const SLICE_MS = 15;

/** Yields to the event loop between the steps of long work. Each step must be short. */
export class LoopTurns {
  #since = performance.now();

  /** False until the slice is used up: `if (turns.isDue) await turns.next();` costs a hot loop no promise. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** For loops where an extra promise does not matter. */
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
