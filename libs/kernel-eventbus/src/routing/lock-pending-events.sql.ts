import { sql, type Kysely } from 'kysely';
import { plainArray, prepared } from '@kernel/runtime';
import { EVENT_COLUMNS, MAX_BATCH_BYTES, type EventClaim, type PendingEvent } from './claim-pending-events.sql.js';
import { TENANT_TURNS, WITHIN_BYTES } from './pending-events.sql.js';
import { SUBSCRIBERS } from './subscribers.sql.js';

/** Class of the kernel's advisory locks on events; the other half of the key is the event's hash. */
const LOCK_CLASS = 310_121;

export interface LockedEvents {
  events: PendingEvent[];
  /** Last tenant of the batch; undefined if no events wait. */
  lastTenantId: string | undefined;
}

/**
 * Locks pending events for which no other router runs middleware, tenants in turn. The locks belong to `turn`, a
 * transaction that does nothing else: middleware may be slow, and meanwhile no row or table is locked and no snapshot
 * is held. A transaction and not a session, because poolers share sessions.
 */
export async function lockPendingEvents(
  db: Kysely<unknown>,
  turn: Kysely<unknown>,
  { limit, afterTenantId, exceptTenantIds }: EventClaim & { afterTenantId: string },
  exceptIds: readonly string[],
): Promise<LockedEvents> {
  const ids = await findInTurn(db, {
    limit,
    afterTenantId,
    exceptTenantIds: plainArray(exceptTenantIds),
    exceptIds: plainArray(exceptIds),
  });
  // No parameters: a statement with parameters keeps its snapshot until the next one, and vacuum would wait for it.
  const { rows: locked } = await sql<{ event_id: string }>`
    select event_id from unnest(${sql.lit(plainArray(ids.map(({ eventId }) => eventId)))}::uuid[]) as pending (event_id)
    where pg_try_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, hashtext(event_id::text))
  `.execute(turn);
  // Read again under the lock: another router may just have routed it.
  const events = await readPendingEvents(db, {
    eventIds: plainArray(locked.map((row) => row.event_id)),
    maxBytes: MAX_BATCH_BYTES,
  });
  return { events, lastTenantId: events.at(-1)?.tenantId ?? ids.at(-1)?.tenantId };
}

const findInTurn = prepared<
  'limit' | 'afterTenantId' | 'exceptTenantIds' | 'exceptIds',
  Pick<PendingEvent, 'eventId' | 'tenantId'>
>`
  with recursive ${TENANT_TURNS}
  select e.event_id as "eventId", turn.tenant_id as "tenantId"
  from turn
  cross join lateral (
    select event_id from kernel_outbox_event
    where status = 'PENDING' and tenant_id = turn.tenant_id and event_id <> all(${'exceptIds'}::uuid[])
    order by created_at
    limit turn.share
  ) e
  limit ${'limit'}::int
`;

const readPendingEvents = prepared<'eventIds' | 'maxBytes', PendingEvent>`
  with locked as materialized (
    select e.*
    from unnest(${'eventIds'}::uuid[]) with ordinality as chosen (event_id, place)
    join kernel_outbox_event e on e.event_id = chosen.event_id
    where e.status = 'PENDING' order by chosen.place
  ), claimed as materialized (${WITHIN_BYTES})
  select ${EVENT_COLUMNS}, ${SUBSCRIBERS} from claimed
`;
