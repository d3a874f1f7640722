import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';

export interface LateDelivery {
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
  isParked: boolean;
}

/**
 * Deliveries of events that were routed before, due at once. One that exists already is left as it is, and not in the answer. Their
 * leases are counted from 1, as if they had been taken before: whoever takes a first lease for a first way is not misled.
 */
export async function insertLateDeliveries(
  trx: Kysely<unknown>,
  deliveries: readonly LateDelivery[],
): Promise<ReadonlySet<string>> {
  const { plain, text } = columnsOf(deliveries);
  const { rows } = await sql<{ deliveryId: string }>`
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence, previous_sequence,
      lane_id, is_parked, next_attempt_at, dispatched_at, lease_epoch
    )
    select d.*, clock_timestamp(), date_trunc('milliseconds', clock_timestamp()), 1
    from unnest(
      ${plain('deliveryId')}::uuid[], ${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[],
      ${plain('eventId')}::uuid[], ${text('eventType')}::text[], ${text('traceId')}::text[],
      ${text('streamKey')}::text[], ${plain('streamSequence')}::bigint[], ${plain('previousSequence')}::bigint[],
      ${plain('laneId')}::uuid[], ${plain('isParked')}::boolean[]
    ) as d (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence, previous_sequence,
      lane_id, is_parked
    )
    order by d.event_id
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id as "deliveryId"
  `.execute(trx);
  return new Set(rows.map(({ deliveryId }) => deliveryId));
}
