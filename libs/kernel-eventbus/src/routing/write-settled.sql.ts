import { NOTE_SETTLED } from '../delivery/note-settled.sql.js';
import { OUTCOME_ARRAYS, OUTCOME_NAMES, outcomeColumns, type OutcomeColumn } from '../delivery/outcome-columns.sql.js';
import type { Settlement } from '../delivery/settlement.js';
import type { Statement } from '../runtime/hot-statement.js';
import { prepared } from '../runtime/prepared.js';
import { MARK_EVENTS, type MarkedParameter } from './mark-events.sql.js';
import { valuesOf, type Lease, type NewDelivery, type Routed } from './write-routed.sql.js';

type DeliveryColumn = Exclude<keyof NewDelivery, 'previousSequence' | 'laneId'>;

export interface BatchLease extends Lease {
  batchId: string;
}

export interface WrittenDelivery {
  deliveryId: string;
}

/**
 * What routing comes to together with what has become of its deliveries so far, in one statement: those that are settled are
 * written as they ended, the others under the worker's lease or for the queue. A delivery that exists already (same endpoint,
 * same event) is left as it is, and not in the answer.
 */
export function settledStatement(
  { events, deliveries }: Routed,
  settlements: readonly Settlement[],
  lease: BatchLease,
): Statement {
  const byId = new Map(settlements.map((settlement) => [settlement.delivery.deliveryId, settlement]));
  const outcomes = deliveries.map(({ deliveryId }) => byId.get(deliveryId) ?? OPEN);
  return WRITE_SETTLED.bind({
    ...valuesOf({ events, deliveries }, lease),
    ...outcomeColumns(outcomes),
    batchId: lease.batchId,
  });
}

/** Stands where a delivery has no outcome yet: all its columns are null. */
const OPEN: Partial<Settlement> = {};

const WRITE_SETTLED = prepared<
  DeliveryColumn | OutcomeColumn | MarkedParameter | 'leaseMs' | 'workerId' | 'batchId',
  WrittenDelivery
>`
  with planned as materialized (
    select * from unnest(
      ${'deliveryId'}::uuid[], ${'tenantId'}::uuid[], ${'endpointId'}::uuid[], ${'eventId'}::uuid[], ${'eventType'}::text[],
      ${'traceId'}::text[], ${'streamKey'}::text[], ${'streamSequence'}::bigint[], ${'isHandedOff'}::boolean[],
      ${'isSuspect'}::boolean[], ${'dispatchedAt'}::timestamptz[],
      ${OUTCOME_ARRAYS}
    ) as p (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence, is_handed_off,
      is_suspect, dispatched_at,
      ${OUTCOME_NAMES}
    )
  ), inserted as (
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence, dispatched_at,
      status, attempts, last_status_code, next_attempt_at, error_class, last_error, last_error_ref, last_error_at,
      dead_letter_reason, settled_at, lease_until, lease_epoch, leased_by, is_suspect
    )
    select delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
      dispatched_at, coalesce(status, 'PENDING'), coalesce(attempts, 0), status_code,
      case when status is null then clock_timestamp() else clock_timestamp() + next_delay_ms * interval '1 millisecond' end,
      error_class, error, error_ref, case when error_ref is not null then clock_timestamp() end,
      dead_letter_reason, case when status in ('DELIVERED', 'DLQ') then clock_timestamp() end,
      case when status is null and is_handed_off then clock_timestamp() + ${'leaseMs'}::int * interval '1 millisecond' end,
      is_handed_off::int,
      case when status is null and is_handed_off then ${'workerId'}::text end, is_suspect
    from planned
    on conflict (endpoint_id, event_id) do nothing
    returning delivery_id
  ), ${MARK_EVENTS}, settled as (
    select p.*, e.aggregate_type, e.aggregate_id, e.attributes
    from planned p
    join inserted on inserted.delivery_id = p.delivery_id
    join published e on e.event_id = p.event_id
    where p.status is not null
  ), ${NOTE_SETTLED}, written as (
    delete from kernel_unwritten_batch where batch_id = ${'batchId'}::uuid
  )
  select delivery_id as "deliveryId" from inserted
`;
