import type { Kysely } from 'kysely';
import { DuplicateEventIdError } from '../eventbus.errors.js';
import type { DuplicatePolicy } from './duplicate-refusal.js';
import { findExistingEvents, insertEvents, insertUnlessTaken, type InsertEvents } from './events.sql.js';
import type { PreparedEvent } from './prepare-event.js';
import { sortOutRepeats } from './sort-out-repeats.js';

/**
 * Writes a transaction's events except those that another transaction has written since they were published, and
 * returns the written events. The primary key decides: the second of two transactions waits for the outcome of the
 * first. `on conflict do nothing` would skip the repeat too, but lose its number in the stream.
 */
export async function insertOnce(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
  policy: DuplicatePolicy,
  insert: InsertEvents = insertEvents,
): Promise<PreparedEvent[]> {
  // Overlapping savepoints do not see each other's events and may have published the same one.
  let { fresh } = sortOutRepeats(inLockOrder(events), [], policy);
  while (fresh.length > 0) {
    const taken = await insertUnlessTaken(db, fresh, insert);
    if (!taken) {
      break;
    }
    const existing = await findExistingEvents(db, fresh, policy.retentionDays);
    if (!existing.some(({ eventId }) => eventId === taken.eventId)) {
      // Under repeatable read, rows committed after the start of the transaction are invisible.
      throw new DuplicateEventIdError(taken.eventId, { cause: taken.cause });
    }
    ({ fresh } = sortOutRepeats(fresh, existing, policy));
  }
  return fresh;
}

/**
 * Prevents deadlocks between two transactions that repeat the same events. Those in streams meet at the streams' rows,
 * which are locked in order before the first insert. Events outside of streams meet only at their ids, so they are
 * sorted by id.
 */
function inLockOrder(events: readonly PreparedEvent[]): PreparedEvent[] {
  const inStreams = events.filter(({ isSequenced }) => isSequenced);
  const outside = events.filter(({ isSequenced }) => !isSequenced);
  return [...inStreams, ...outside.sort((a, b) => (a.eventId < b.eventId ? -1 : 1))];
}
