import type { Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import type { Statement } from '../runtime/hot-statement.js';
import { prepared } from '../runtime/prepared.js';
import { MARK_EVENTS, markedValues, type MarkedEvent, type MarkedParameter } from './mark-events.sql.js';

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
  /** Its worker fell silent before it was written: it runs alone. */
  isSuspect: boolean;
  dispatchedAt: string;
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

/**
 * What routing comes to, in one statement: deliveries that are due at once, events marked as published, ledger entries. A
 * delivery that exists already (same endpoint, same event) is left as it is, and not in the answer.
 */
export function writeRouted(trx: Kysely<unknown>, routed: Routed, lease: Lease): Promise<InsertedDelivery[]> {
  return WRITE_ROUTED(trx, valuesOf(routed, lease));
}

/** The same as a statement to be sent. */
export function routedStatement(routed: Routed, lease: Lease): Statement {
  return WRITE_ROUTED.bind(valuesOf(routed, lease));
}

/** As parameters of a statement that writes them. */
export function valuesOf({ events, deliveries }: Routed, lease: Lease) {
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
    isSuspect: plain('isSuspect'),
    dispatchedAt: text('dispatchedAt'),
    ...markedValues(events),
  };
}

const WRITE_ROUTED = prepared<keyof NewDelivery | MarkedParameter | 'leaseMs' | 'workerId', InsertedDelivery>`
  with inserted as (
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by, is_suspect
    )
    select d.delivery_id, d.tenant_id, d.endpoint_id, d.event_id, d.event_type, d.trace_id, d.stream_key,
      d.stream_sequence, d.previous_sequence, d.lane_id,
      clock_timestamp(), d.dispatched_at,
      case when d.is_handed_off then clock_timestamp() + ${'leaseMs'}::int * interval '1 millisecond' end,
      d.is_handed_off::int,
      case when d.is_handed_off then ${'workerId'}::text end, d.is_suspect
    from unnest(
      ${'deliveryId'}::uuid[], ${'tenantId'}::uuid[], ${'endpointId'}::uuid[],
      ${'eventId'}::uuid[], ${'eventType'}::text[], ${'traceId'}::text[],
      ${'streamKey'}::text[], ${'streamSequence'}::bigint[],
      ${'previousSequence'}::bigint[], ${'laneId'}::uuid[], ${'isHandedOff'}::boolean[], ${'isSuspect'}::boolean[],
      ${'dispatchedAt'}::timestamptz[]
    ) as d (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, is_handed_off, is_suspect, dispatched_at
    )
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id as "deliveryId", dispatched_at as "dispatchedAt"
  ), ${MARK_EVENTS}
  select * from inserted
`;
