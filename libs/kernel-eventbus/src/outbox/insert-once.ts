import type { Kysely } from 'kysely';
import { DuplicateEventIdError } from '../eventbus.errors.js';
import type { DuplicatePolicy } from './duplicate-refusal.js';
import { findExistingEvents } from './find-existing-events.sql.js';
import { insertUnlessTaken } from './insert-unless-taken.sql.js';
import type { PreparedEvent } from './prepare-event.js';
import { sortOutRepeats } from './sort-out-repeats.js';

/**
 * Writes a transaction's events except those that another transaction has written since they were published, and returns
 * what it wrote. The primary key decides: it makes the second of two transactions wait for the outcome of the first. With
 * `on conflict do nothing` the repeat would be left out too, but its number in the stream would be gone.
 */
export async function insertOnce(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
  policy: DuplicatePolicy,
): Promise<PreparedEvent[]> {
  // Savepoints that overlap, which nothing else tells of each other, may have published the same.
  let { fresh } = sortOutRepeats(inLockOrder(events), [], policy);
  while (fresh.length > 0) {
    const taken = await insertUnlessTaken(db, fresh);
    if (!taken) {
      break;
    }
    const existing = await findExistingEvents(db, fresh, policy.retentionDays);
    if (!existing.some(({ eventId }) => eventId === taken.eventId)) {
      // A transaction that repeats its reads does not see what was committed after it began.
      throw new DuplicateEventIdError(taken.eventId, { cause: taken.cause });
    }
    ({ fresh } = sortOutRepeats(fresh, existing, policy));
  }
  return fresh;
}

/**
 * Whoever repeats events in streams meets the other at the streams' rows, which are locked in order and before the first
 * insert. Events outside of streams have only their ids to meet at: those come in order too, lest two transactions wait
 * for each other.
 */
function inLockOrder(events: readonly PreparedEvent[]): PreparedEvent[] {
  const inStreams = events.filter(({ isSequenced }) => isSequenced);
  const outside = events.filter(({ isSequenced }) => !isSequenced);
  return [...inStreams, ...outside.sort((a, b) => (a.eventId < b.eventId ? -1 : 1))];
}
