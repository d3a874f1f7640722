import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from './fault.js';
import { isTransient } from './transient-fault.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Tries a write again while the database is away, fails over or prefers another transaction: what a worker holds stays its own
 * meanwhile, and what was lost is refused by its lease's epoch. Ends with the shutdown.
 */
@Injectable()
export class TransientRetry {
  readonly #logger = new Logger(TransientRetry.name);
  readonly #stop = new AbortController();

  /** `isOver`: errors after which it gives up. */
  async run<T>(
    what: string,
    write: () => Promise<T>,
    { isOver = () => false }: { isOver?: (error: unknown) => boolean } = {},
  ): Promise<T> {
    for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries++, pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        return await write();
      } catch (error) {
        if (this.#stop.signal.aborted || !isTransient(error) || isOver(error)) {
          throw error;
        }
        if (tries === 1) {
          this.#logger.warn({ msg: 'the database did not take a write; trying again', what, fault: faultOf(error) });
        }
        await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }

  /** What fails from now on is not tried again. */
  stop(): void {
    this.#stop.abort();
  }
}
