import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from '../fault.js';
import { isTransient } from './transient-fault.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Retries a write while the database is unavailable, fails over or rolls it back in favour of another transaction. The
 * worker keeps its leases meanwhile; if it loses one, the lease's epoch rejects the write. Ends at shutdown.
 */
@Injectable()
export class TransientRetry {
  readonly #logger = new Logger(TransientRetry.name);
  readonly #stop = new AbortController();

  /** `isOver`: errors that are not retried. */
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

  /** Ends retries; later failures are thrown. */
  stop(): void {
    this.#stop.abort();
  }
}
