import { part, prepared } from '../runtime/prepared.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import { PENDING_IN_TURN, TENANT_TURNS } from './pending-events.sql.js';
import {
  HAND_OFF_ENDPOINT,
  IS_CHOOSY,
  IS_DEAD,
  SUBSCRIBES_TO_PAIR,
  type HandOffEndpoint,
} from './hand-off-endpoint.sql.js';

export interface FanOutSummary {
  /** Pending events that were left alone, because an endpoint of theirs wants order or looks into the payload. */
  left: number;
  /** Deliveries that were inserted without a lease. */
  queued: number;
  dispatchedAt: string;
  endpoints: HandOffEndpoint[] | null;
}

/** An event that was routed; its payload comes only where a delivery of it is handed off. */
export interface FannedOutEvent extends Omit<PendingEvent, 'payloadJson'> {
  payloadJson: string | null;
  /** Of the deliveries that were inserted under the worker's lease, with blanks between them; null: none. */
  deliveryIds: string | null;
  /** Of the same deliveries, in the same order. */
  endpointIds: string | null;
}

/** The first row has the summary; where nothing was routed it has nothing else. */
export type FanOutRow = { summary: FanOutSummary | null } & (FannedOutEvent | { eventId: null });

type Parameter =
  | 'limit'
  | 'places'
  | 'workerId'
  | 'leaseMs'
  | 'perEndpoint'
  | 'prefetch'
  | 'shares'
  | 'heldIds'
  | 'heldCounts'
  | 'actor'
  | 'deliveryIds'
  | 'entryIds'
  | 'firstNumber';

const ROUTE = part<Parameter>`
  moment as materialized (
    select clock_timestamp() as now
  ), pair as materialized (
    select distinct tenant_id, type from claimed
  ), subscriber as materialized (
    select pair.tenant_id as for_tenant, pair.type as for_type, p.*,
      ${IS_CHOOSY} as is_choosy,
      case
        when ${IS_DEAD} then 0
        else (coalesce(p.max_in_flight, ${'perEndpoint'}::int) * ${'prefetch'}::int - coalesce(held.count, 0)) / ${'shares'}::int
      end as room
    from pair
    join kernel_webhook_endpoint p on ${SUBSCRIBES_TO_PAIR}
    left join unnest(${'heldIds'}::uuid[], ${'heldCounts'}::int[]) as held (endpoint_id, count)
      on held.endpoint_id = p.endpoint_id
  ), routed as materialized (
    select c.*, row_number() over () as place
    from claimed c
    where not exists (
      select from subscriber s where s.is_choosy and s.for_tenant = c.tenant_id and s.for_type = c.type
    )
  ), planned as materialized (
    select r.event_id, r.tenant_id, r.type, r.trace_id, r.stream_key, r.stream_sequence, s.endpoint_id,
      row_number() over () as place,
      row_number() over () <= ${'places'}::int and row_number() over (partition by s.endpoint_id) <= s.room as is_handed_off
    from routed r
    join subscriber s on s.for_tenant = r.tenant_id and s.for_type = r.type
  ), inserted as (
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by
    )
    select (${'deliveryIds'}::text || lpad(to_hex(${'firstNumber'}::bigint + p.place), 12, '0'))::uuid,
      p.tenant_id, p.endpoint_id, p.event_id, p.type, p.trace_id, p.stream_key, p.stream_sequence,
      now, date_trunc('milliseconds', now),
      case when p.is_handed_off then now + ${'leaseMs'}::int * interval '1 millisecond' end,
      p.is_handed_off::int,
      case when p.is_handed_off then ${'workerId'}::text end
    from planned p cross join moment
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id, event_id, endpoint_id, leased_by is not null as is_handed_off
  ), published as (
    update kernel_outbox_event e set status = 'PUBLISHED', published_at = now
    from routed r cross join moment
    where e.event_id = r.event_id
  ), noted as (
    insert into kernel_ledger_entry (
      entry_id, kind, actor, tenant_id, event_id, event_type, trace_id, aggregate_type, aggregate_id, attributes, detail
    )
    select (${'entryIds'}::text || lpad(to_hex(${'firstNumber'}::bigint + r.place), 12, '0'))::uuid, 'published',
      ${'actor'}::text, r.tenant_id, r.event_id, r.type, r.trace_id, r.aggregate_type, r.aggregate_id, r.attributes,
      jsonb_build_object('deliveries', (
        select count(*) from subscriber s where s.for_tenant = r.tenant_id and s.for_type = r.type
      ))
    from routed r
  ), handed_off as (
    select event_id, string_agg(delivery_id::text, ' ') as delivery_ids, string_agg(endpoint_id::text, ' ') as endpoint_ids
    from inserted where is_handed_off group by event_id
  )
  select r.event_id as "eventId", r.tenant_id as "tenantId", r.stream_key as "streamKey",
    r.stream_sequence as "streamSequence", r.type, r.occurred_at as "occurredAt", r.trace_id as "traceId",
    r.actor_id as "actorId", case when h.event_id is not null then r.payload_jsonb::text end as "payloadJson",
    r.aggregate_type as "aggregateType", r.aggregate_id as "aggregateId", r.attributes::text as "attributesJson",
    extract(epoch from r.created_at)::float8 * 1000 as "createdAtMs", r.trace_parent as "traceParent",
    h.delivery_ids as "deliveryIds", h.endpoint_ids as "endpointIds",
    case when r.place is null or r.place = 1 then json_build_object(
      'left', (select count(*) from claimed) - (select count(*) from routed),
      'queued', (select count(*) from inserted where not is_handed_off),
      'dispatchedAt', (select date_trunc('milliseconds', now)::text from moment),
      'endpoints', (
        select json_agg(json_build_object(
          ${HAND_OFF_ENDPOINT}
        ))
        from subscriber p where not p.is_choosy
      )
    ) end as summary
  from (select) as always
  left join routed r on true
  left join handed_off h on h.event_id = r.event_id
`;

/**
 * Routes what needs no second thought with one statement: claim, match by type, insert deliveries, mark the events, note it.
 * Events of which an endpoint wants order or looks into the payload are left alone, for whoever can judge that. For when more
 * waits than a batch can take: each tenant gets its turn.
 *
 * Ids are made of the first 24 characters of a new one and a number: they need not be sent, and sort as well as those that are.
 */
export const fanOutInTurn = prepared<Parameter | 'afterTenantId', FanOutRow>`
  with recursive ${TENANT_TURNS}, claimed as materialized (${PENDING_IN_TURN}), ${ROUTE}
`;
