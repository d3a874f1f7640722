import { sql, type Kysely } from 'kysely';
import { columnsOf, type Statement, part, prepared } from '@kernel/runtime';
import type { Lease } from './lease-columns.sql.js';

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
  /** Leased to the worker that inserts it, which sends it without a claim. */
  isLeasedOnInsert: boolean;
  dispatchedAt: string;
}

export interface InsertedDelivery {
  deliveryId: string;
}

export type InsertedParameter = keyof NewDelivery | 'leaseMs' | 'workerId';

/**
 * Delivery: [*] --> PENDING (routed), due at once. A delivery that exists already (same endpoint, same event) stays as
 * it is, and its id is not returned.
 */
export const INSERT_DELIVERIES = part<InsertedParameter>`
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by
    )
    select d.delivery_id, d.tenant_id, d.endpoint_id, d.event_id, d.event_type, d.trace_id, d.stream_key,
      d.stream_sequence, d.previous_sequence, d.lane_id,
      clock_timestamp(), d.dispatched_at,
      case when d.is_leased then clock_timestamp() + ${'leaseMs'}::int * interval '1 millisecond' end,
      d.is_leased::int,
      case when d.is_leased then ${'workerId'}::text end
    from unnest(
      ${'deliveryId'}::uuid[], ${'tenantId'}::uuid[], ${'endpointId'}::uuid[],
      ${'eventId'}::uuid[], ${'eventType'}::text[], ${'traceId'}::text[],
      ${'streamKey'}::text[], ${'streamSequence'}::bigint[],
      ${'previousSequence'}::bigint[], ${'laneId'}::uuid[], ${'isLeasedOnInsert'}::boolean[],
      ${'dispatchedAt'}::timestamptz[]
    ) as d (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, is_leased, dispatched_at
    )
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id as "deliveryId"
`;

export function insertedValues(
  deliveries: readonly NewDelivery[],
  { leaseMs, workerId }: Lease,
): Record<InsertedParameter, string | number> {
  const { plain, text } = columnsOf(deliveries);
  return {
    leaseMs,
    workerId,
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
    isLeasedOnInsert: plain('isLeasedOnInsert'),
    dispatchedAt: text('dispatchedAt'),
  };
}

const INSERT_ROUTED = prepared<InsertedParameter, InsertedDelivery>`${INSERT_DELIVERIES}`;

/** Inserts deliveries of an event that has more of them than one statement takes. */
export function insertRouted(deliveries: readonly NewDelivery[], lease: Lease): Statement {
  return INSERT_ROUTED.bind(insertedValues(deliveries, lease));
}

export interface LateDelivery extends Omit<NewDelivery, 'isLeasedOnInsert' | 'dispatchedAt'> {
  isParked: boolean;
}

/**
 * Delivery: [*] --> PENDING (routed), for events that were published before the endpoint wanted them; parked if the
 * endpoint is disabled. The epoch begins at 1, as if they had been leased before: the first lease of a late delivery
 * must not look like the one of a delivery leased on insert. Returns the ids of those that did not exist.
 */
export async function insertLateDeliveries(
  trx: Kysely<unknown>,
  deliveries: readonly LateDelivery[],
): Promise<ReadonlySet<string>> {
  const { plain, text } = columnsOf(deliveries);
  const { rows } = await sql<InsertedDelivery>`
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, is_parked, next_attempt_at, dispatched_at, lease_epoch
    )
    select d.*, clock_timestamp(), date_trunc('milliseconds', clock_timestamp()), 1
    from unnest(
      ${plain('deliveryId')}::uuid[], ${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[],
      ${plain('eventId')}::uuid[], ${text('eventType')}::text[], ${text('traceId')}::text[],
      ${text('streamKey')}::text[], ${plain('streamSequence')}::bigint[], ${plain('previousSequence')}::bigint[],
      ${plain('laneId')}::uuid[], ${plain('isParked')}::boolean[]
    ) as d (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      previous_sequence, lane_id, is_parked
    )
    order by d.event_id
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id as "deliveryId"
  `.execute(trx);
  return new Set(rows.map(({ deliveryId }) => deliveryId));
}
