import { sql, type Kysely } from 'kysely';
import { plainArray } from '../runtime/array-literal.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import { EVENT_COLUMNS } from './claim-pending-events.sql.js';

/** Of our own locks; the other half of the key is the event's. */
const LOCK_CLASS = 310_121;

/**
 * Pending events that no other router runs middleware for, oldest first. The locks belong to the connection, not to a
 * transaction: middleware may take its time, and no row is locked meanwhile.
 */
export async function lockPendingEvents(
  connection: Kysely<unknown>,
  limit: number,
  exceptIds: readonly string[],
): Promise<PendingEvent[]> {
  const { rows: ids } = await sql<{ event_id: string }>`
    select event_id from kernel_outbox_event
    where status = 'PENDING' and event_id <> all(${plainArray(exceptIds)}::uuid[])
    order by created_at limit ${limit}
  `.execute(connection);
  const { rows: locked } = await sql<{ event_id: string }>`
    select event_id from unnest(${plainArray(ids.map((row) => row.event_id))}::uuid[]) as pending (event_id)
    where pg_try_advisory_lock(${LOCK_CLASS}, hashtext(event_id::text))
  `.execute(connection);
  // Looked at again under the lock: another router may just have been through with it.
  const { rows } = await sql<PendingEvent>`
    select ${sql.raw(EVENT_COLUMNS.text)} from kernel_outbox_event
    where event_id = any(${plainArray(locked.map((row) => row.event_id))}::uuid[]) and status = 'PENDING'
    order by created_at
  `.execute(connection);
  return rows;
}

/** All locks of this connection: it takes none besides. */
export async function unlockEvents(connection: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_unlock_all()`.execute(connection);
}
