import type { Kysely } from 'kysely';
import type { PreparedEvent } from './prepare-event.js';

/** The caller's transaction, as the outbox uses it. */
export interface OpenTransaction {
  db: Kysely<unknown>;
  /** Rejects unless a transaction runs. Called before statements that would otherwise commit by themselves. */
  verify(): Promise<void>;
  /** Events with one of these ids that the transaction has accepted and not yet written. */
  findWaiting(eventIds: ReadonlySet<string>): PreparedEvent[];
  /** Accepts all of the events or none. */
  add(events: readonly PreparedEvent[]): Promise<void>;
}
