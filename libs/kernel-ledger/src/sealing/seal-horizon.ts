import type { Kysely } from 'kysely';
import { findLedgerWriters, readClock } from './entries.sql.js';

/**
 * Finds the time before which the ledger is complete. Entries become visible when their transaction commits, not when
 * they are recorded, so a time is safe only after every transaction that was writing to the ledger at that time has
 * ended. Later writers record a later time.
 */
export class SealHorizon {
  #awaited: { time: string; writers: readonly string[] } | undefined;

  constructor(private readonly lagMs: number) {}

  /** Undefined while an open transaction could still record an earlier entry. */
  async look(db: Kysely<unknown>): Promise<string | undefined> {
    // Read the clock first: a transaction missing from the writers has ended by then or will record a later time.
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
