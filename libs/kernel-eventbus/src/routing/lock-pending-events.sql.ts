import { sql, type Kysely } from 'kysely';
import { plainArray } from '../runtime/array-literal.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import { EVENT_COLUMNS } from './claim-pending-events.sql.js';

/** Of our own locks; the other half of the key is the event's. */
const LOCK_CLASS = 310_121;

/**
 * Pending events that no other router runs middleware for, oldest first. The locks belong to `turn`, a transaction that touches
 * nothing besides: middleware may take its time, and meanwhile no row and no table is locked, no snapshot held. A transaction,
 * and not a session, because poolers hand sessions around.
 */
export async function lockPendingEvents(
  db: Kysely<unknown>,
  turn: Kysely<unknown>,
  limit: number,
  exceptIds: readonly string[],
): Promise<PendingEvent[]> {
  const { rows: ids } = await sql<{ event_id: string }>`
    select event_id from kernel_outbox_event
    where status = 'PENDING' and event_id <> all(${plainArray(exceptIds)}::uuid[])
    order by created_at limit ${limit}
  `.execute(db);
  // Without parameters: a statement that has some keeps its snapshot until the next one, and vacuum would wait for it.
  const { rows: locked } = await sql<{ event_id: string }>`
    select event_id from unnest(${sql.lit(plainArray(ids.map((row) => row.event_id)))}::uuid[]) as pending (event_id)
    where pg_try_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, hashtext(event_id::text))
  `.execute(turn);
  // Looked at again under the lock: another router may just have been through with it.
  const { rows } = await sql<PendingEvent>`
    select ${sql.raw(EVENT_COLUMNS.text)} from kernel_outbox_event
    where event_id = any(${plainArray(locked.map((row) => row.event_id))}::uuid[]) and status = 'PENDING'
    order by created_at
  `.execute(db);
  return rows;
}
