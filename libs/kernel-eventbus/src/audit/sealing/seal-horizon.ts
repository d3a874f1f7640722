import type { Kysely } from 'kysely';
import { findLedgerWriters } from './find-ledger-writers.sql.js';
import { readClock } from './read-clock.sql.js';

/**
 * Knows before which time the ledger is complete. Entries become visible when their transaction commits, not when they are
 * recorded, so a time is safe only once every transaction that was writing to the ledger at that time has ended. Who begins
 * to write later records a later time.
 */
export class SealHorizon {
  #awaited: { time: string; writers: readonly string[] } | undefined;

  constructor(private readonly lagMs: number) {}

  /** Undefined while a transaction that could still record an earlier entry runs. */
  async look(db: Kysely<unknown>): Promise<string | undefined> {
    // The clock first: who is not among the writers afterwards had ended by then, or reads a later time.
    const time = await readClock(db, this.lagMs);
    const writers = await findLedgerWriters(db);
    if (writers.size === 0) {
      this.#awaited = undefined;
      return time;
    }
    if (this.#awaited?.writers.some((writer) => writers.has(writer))) {
      return undefined;
    }
    const reached = this.#awaited?.time;
    this.#awaited = { time, writers: [...writers] };
    return reached;
  }
}
