import { CompiledQuery, type Kysely } from 'kysely';
import { insertEvents } from './insert-events.sql.js';
import type { PreparedEvent } from './prepare-event.js';
import { takenEventId } from './taken-event-id.js';

const SAVEPOINT = CompiledQuery.raw('savepoint kernel_outbox');
const ROLLBACK = CompiledQuery.raw('rollback to savepoint kernel_outbox');

export interface TakenId {
  eventId: string;
  cause: unknown;
}

/**
 * Writes all of the events, or none and says whose id is taken. The savepoint gives back the streams' numbers and keeps the
 * caller's transaction alive; the commit, which comes next, releases it.
 */
export async function insertUnlessTaken(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
): Promise<TakenId | undefined> {
  await db.executeQuery(SAVEPOINT);
  try {
    await insertEvents(db, events);
    return undefined;
  } catch (cause) {
    const eventId = takenEventId(cause);
    if (!eventId) {
      throw cause;
    }
    await db.executeQuery(ROLLBACK);
    return { eventId, cause };
  }
}
