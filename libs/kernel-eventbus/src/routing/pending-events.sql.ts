import { part, plainArray, type Statement, prepared } from '@kernel/runtime';
import { SUBSCRIBERS, type WithSubscribers } from './subscribers.sql.js';
import { sql, type Kysely } from 'kysely';

/** The oldest pending events, locked until the transaction ends; skips events that another router holds. */
const OLDEST_PENDING = part<'limit'>`
  select * from kernel_outbox_event
  where status = 'PENDING'
  order by created_at
  limit ${'limit'}::int
  for update skip locked
`;

/**
 * Turns for `PENDING_IN_TURN`: walks the tenants with pending events, from the end of the last batch and around, until
 * the batch is full, and gives each an equal share. Recursive.
 */
const TENANT_TURNS = part<'limit' | 'afterTenantId' | 'exceptTenantIds'>`
  tenant as (
    select ${'afterTenantId'}::uuid as tenant_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as last_id, 0 as step
    union all
    select next.tenant_id, next.last_id, t.step + 1
    from tenant t
    cross join lateral (
      (
        select e.tenant_id, t.last_id from kernel_outbox_event e
        where e.status = 'PENDING' and e.tenant_id > t.tenant_id and e.tenant_id <= t.last_id
        order by e.tenant_id, e.created_at limit 1
      )
      union all
      (
        select e.tenant_id, ${'afterTenantId'}::uuid from kernel_outbox_event e
        where e.status = 'PENDING' and t.last_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
          and e.tenant_id <= ${'afterTenantId'}::uuid
        order by e.tenant_id, e.created_at limit 1
      )
      limit 1
    ) next
    where t.step < ${'limit'}::int + cardinality(${'exceptTenantIds'}::uuid[])
  ), turn as (
    select tenant_id, ceil(${'limit'}::numeric / count(*) over ())::int as share
    from tenant where step > 0 and tenant_id <> all(${'exceptTenantIds'}::uuid[])
    order by step
    limit ${'limit'}::int
  )
`;

/** Each tenant's oldest pending events, for when more wait than fit into a batch. */
const PENDING_IN_TURN = part<'limit'>`
  select e.*, turn.share
  from turn
  cross join lateral (
    select * from kernel_outbox_event
    where status = 'PENDING' and tenant_id = turn.tenant_id
    order by created_at
    limit turn.share
    for update skip locked
  ) e
  limit ${'limit'}::int
`;

/**
 * The first events of `locked` whose payloads have `maxBytes` together, and one more: their texts are in the worker's
 * memory at once. `payload_json` is serialised once; `offset 0` keeps PostgreSQL from serialising it again for its
 * length.
 */
const WITHIN_BYTES = part<'maxBytes'>`
  select *, (select count(*) from locked)::int as locked_count
  from (
    select *, sum(octet_length(payload_json)) over (rows between unbounded preceding and 1 preceding) as bytes_before
    from (select *, payload_jsonb::text as payload_json from locked offset 0) written
  ) sized
  where coalesce(bytes_before, 0) < ${'maxBytes'}::int
`;

export interface PendingEvent extends WithSubscribers {
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null if the type has no ordering. Text, because the driver returns bigint as text. */
  streamSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** When the event was written, in milliseconds since 1970. */
  createdAtMs: number;
  traceParent: string | null;
  traceState: string | null;
}

/** An event that is locked until it is routed. */
export interface ClaimedEvent extends PendingEvent {
  /** The database's time, as text that it reads back. */
  dispatchedAt: string;
  /** With tenants in turn: the events that each tenant could have had. */
  share?: number;
  /** Locked events; more than were read if their payloads are large. */
  lockedCount: number;
}

export interface EventClaim {
  limit: number;
  /** Set if more events wait than fit into a batch: tenants take turns, starting after this one. */
  afterTenantId: string | undefined;
  /** Only with tenants in turn: tenants that are left out. */
  exceptTenantIds: readonly string[];
}

/** Payload bytes in a batch. The event that reaches the limit is the last one. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

const EVENT_COLUMNS = {
  text: `event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", stream_sequence as "streamSequence",
    type, occurred_at as "occurredAt", trace_id as "traceId", actor_id as "actorId", payload_json as "payloadJson",
    aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson",
    extract(epoch from created_at)::float8 * 1000 as "createdAtMs", trace_parent as "traceParent",
    trace_state as "traceState"`,
};

const CLAIMED_COLUMNS = {
  text: `${EVENT_COLUMNS.text}, date_trunc('milliseconds', statement_timestamp())::text as "dispatchedAt",
    locked_count as "lockedCount"`,
};

const claimOldest = prepared<'limit' | 'maxBytes', ClaimedEvent>`
  with locked as materialized (${OLDEST_PENDING}), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, ${SUBSCRIBERS} from claimed
`;

const claimInTurn = prepared<'limit' | 'afterTenantId' | 'exceptTenantIds' | 'maxBytes', ClaimedEvent>`
  with recursive ${TENANT_TURNS}, locked as materialized (${PENDING_IN_TURN}), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, share, ${SUBSCRIBERS} from claimed
`;

const claimChosen = prepared<'eventIds' | 'maxBytes', ClaimedEvent>`
  with locked as materialized (
    select * from kernel_outbox_event
    where event_id = any(${'eventIds'}::uuid[]) and status = 'PENDING'
    order by created_at
    for update skip locked
  ), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, ${SUBSCRIBERS} from claimed
`;

/** Locks pending events and reads their subscribers. */
export function claimPendingEvents({ limit, afterTenantId, exceptTenantIds }: EventClaim): Statement {
  return afterTenantId === undefined
    ? claimOldest.bind({ limit, maxBytes: MAX_BATCH_BYTES })
    : claimInTurn.bind({
        limit,
        afterTenantId,
        exceptTenantIds: plainArray(exceptTenantIds),
        maxBytes: MAX_BATCH_BYTES,
      });
}

/** Like `claimPendingEvents`, for those of these events that are still pending. */
export function claimChosenEvents(eventIds: string): Statement {
  return claimChosen.bind({ eventIds, maxBytes: MAX_BATCH_BYTES });
}

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
