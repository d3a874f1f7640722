import { prepared } from '../runtime/prepared.js';

export interface PendingEvent {
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null: the type asks for no order. Text, as PostgreSQL's bigint comes. */
  streamSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** When it was written, in milliseconds since 1970. */
  createdAtMs: number;
  traceParent: string | null;
}

export const EVENT_COLUMNS = {
  text: `event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", stream_sequence as "streamSequence",
    type, occurred_at as "occurredAt", trace_id as "traceId", actor_id as "actorId", payload_jsonb::text as "payloadJson",
    aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson",
    extract(epoch from created_at)::float8 * 1000 as "createdAtMs", trace_parent as "traceParent"`,
};

/** Locks the oldest pending events until the transaction ends; what another router holds is passed over. */
export const claimOldestEvents = prepared<'limit', PendingEvent>`
  select ${EVENT_COLUMNS} from kernel_outbox_event
  where status = 'PENDING'
  order by created_at
  limit ${'limit'}
  for update skip locked
`;

/**
 * The same where more waits than one batch can take. Tenants take turns: each gets an equal share of the batch, oldest first,
 * beginning behind the tenant where the last batch ended.
 */
export const claimEventsInTurn = prepared<'limit' | 'afterTenantId', PendingEvent>`
  with recursive tenant as (
    (select tenant_id from kernel_outbox_event where status = 'PENDING' order by tenant_id limit 1)
    union all
    select (
      select e.tenant_id from kernel_outbox_event e
      where e.status = 'PENDING' and e.tenant_id > t.tenant_id order by e.tenant_id limit 1
    )
    from tenant t where t.tenant_id is not null
  ), turn as (
    select tenant_id, ceil(${'limit'}::numeric / count(*) over ()) as share
    from tenant where tenant_id is not null
    order by tenant_id <= ${'afterTenantId'}::uuid, tenant_id
    limit ${'limit'}
  )
  select e.*
  from turn
  cross join lateral (
    select ${EVENT_COLUMNS}
    from kernel_outbox_event
    where status = 'PENDING' and tenant_id = turn.tenant_id
    order by created_at
    limit turn.share
    for update skip locked
  ) e
  limit ${'limit'}
`;

/** Of these, those that are pending still. */
export const claimChosenEvents = prepared<'eventIds', PendingEvent>`
  select ${EVENT_COLUMNS} from kernel_outbox_event
  where event_id = any(${'eventIds'}::uuid[]) and status = 'PENDING'
  order by created_at
  for update skip locked
`;
