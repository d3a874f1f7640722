import type { Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import type { Statement } from '../runtime/hot-statement.js';
import { prepared } from '../runtime/prepared.js';
import { KERNEL_ACTOR } from '../audit/ledger-entry.js';

export interface NewDelivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  traceId: string;
  streamKey: string;
  streamSequence: string | null;
  previousSequence: string | null;
  laneId: string | null;
  /** Leased to the worker from the start, which sends it without claiming it first. */
  isHandedOff: boolean;
}

export interface InsertedDelivery {
  deliveryId: string;
  dispatchedAt: string;
}

export interface Routed {
  events: readonly MarkedEvent[];
  deliveries: readonly NewDelivery[];
}

export interface Lease {
  workerId: string;
  leaseMs: number;
}

/** An event that becomes PUBLISHED. */
export interface MarkedEvent {
  eventId: string;
  /** Of the ledger entry that says that it was published. */
  entryId: string;
  deliveryCount: number;
}

/**
 * What routing comes to, in one statement: deliveries that are due at once, events marked as published, ledger entries. A
 * delivery that exists already (same endpoint, same event) is left as it is, and not in the answer.
 */
export function writeRouted(trx: Kysely<unknown>, routed: Routed, lease: Lease): Promise<InsertedDelivery[]> {
  return WRITE_ROUTED(trx, { ...valuesOf(routed, lease), dispatchedAt: null });
}

/** The same as a statement to be sent, for deliveries that go out already and say when: `dispatchedAt`. */
export function routedStatement(routed: Routed, lease: Lease, dispatchedAt: string): Statement {
  return WRITE_ROUTED.bind({ ...valuesOf(routed, lease), dispatchedAt });
}

function valuesOf({ events, deliveries }: Routed, lease: Lease) {
  const event = columnsOf(events);
  const { plain, text } = columnsOf(deliveries);
  return {
    leaseMs: lease.leaseMs,
    workerId: lease.workerId,
    deliveryId: plain('deliveryId'),
    tenantId: plain('tenantId'),
    endpointId: plain('endpointId'),
    eventId: plain('eventId'),
    eventType: text('eventType'),
    traceId: text('traceId'),
    streamKey: text('streamKey'),
    streamSequence: plain('streamSequence'),
    previousSequence: plain('previousSequence'),
    laneId: plain('laneId'),
    isHandedOff: plain('isHandedOff'),
    routedEventId: event.plain('eventId'),
    // A kept plan knows by these which partitions it can leave out.
    lowestId: events.reduce((lowest, { eventId }) => (eventId < lowest ? eventId : lowest), events[0]!.eventId),
    highestId: events.reduce((highest, { eventId }) => (eventId > highest ? eventId : highest), events[0]!.eventId),
    actor: KERNEL_ACTOR,
    entryId: event.plain('entryId'),
    deliveryCount: event.plain('deliveryCount'),
  };
}

const WRITE_ROUTED = prepared<
  | keyof NewDelivery
  | 'leaseMs'
  | 'workerId'
  | 'dispatchedAt'
  | 'routedEventId'
  | 'lowestId'
  | 'highestId'
  | 'actor'
  | 'entryId'
  | 'deliveryCount',
  InsertedDelivery
>`
  with inserted as (
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by
    )
    select d.delivery_id, d.tenant_id, d.endpoint_id, d.event_id, d.event_type, d.trace_id, d.stream_key,
      d.stream_sequence, d.previous_sequence, d.lane_id,
      clock_timestamp(), coalesce(${'dispatchedAt'}::timestamptz, date_trunc('milliseconds', clock_timestamp())),
      case when d.is_handed_off then clock_timestamp() + ${'leaseMs'}::int * interval '1 millisecond' end,
      d.is_handed_off::int,
      case when d.is_handed_off then ${'workerId'}::text end
    from unnest(
      ${'deliveryId'}::uuid[], ${'tenantId'}::uuid[], ${'endpointId'}::uuid[],
      ${'eventId'}::uuid[], ${'eventType'}::text[], ${'traceId'}::text[],
      ${'streamKey'}::text[], ${'streamSequence'}::bigint[],
      ${'previousSequence'}::bigint[], ${'laneId'}::uuid[], ${'isHandedOff'}::boolean[]
    ) as d (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, is_handed_off
    )
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id as "deliveryId", dispatched_at as "dispatchedAt"
  ), published as (
      update kernel_outbox_event set status = 'PUBLISHED', published_at = clock_timestamp()
      where event_id = any(${'routedEventId'}::uuid[]) and event_id between ${'lowestId'}::uuid and ${'highestId'}::uuid
      returning event_id, tenant_id, type, trace_id, aggregate_type, aggregate_id, attributes
    ), noted as (
      insert into kernel_ledger_entry (
        entry_id, kind, actor, tenant_id, event_id, event_type, trace_id, aggregate_type, aggregate_id, attributes, detail
      )
      select r.entry_id, 'published', ${'actor'}::text, p.tenant_id, p.event_id, p.type, p.trace_id, p.aggregate_type,
        p.aggregate_id, p.attributes, jsonb_build_object('deliveries', r.delivery_count)
      from published p
      join unnest(
        ${'routedEventId'}::uuid[], ${'entryId'}::uuid[], ${'deliveryCount'}::int[]
      ) as r (event_id, entry_id, delivery_count) on r.event_id = p.event_id
    )
    select * from inserted
`;
