import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { DeadLetterReason } from '../judgement/judge-attempt.js';
import type { DeliveryStatus } from './webhook-delivery.js';
import { plainArray } from '@kernel/runtime';
import { revokeLease } from './lease-columns.sql.js';
import { isOpen } from './queues.sql.js';

const REASON: DeadLetterReason = 'endpoint_deleted';

/** The random bits of a version 4 UUID with the time in front and the version set to 7 (PostgreSQL 18 has uuidv7()). */
const UUID_V7 = sql`
  encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6
  ), 52, 1), 53, 1), 'hex')::uuid
`;

/**
 * Delivery: PENDING, FAILED --> DLQ (endpoint deleted), with a ledger entry each, in one statement. The epoch goes up,
 * so that an attempt in flight cannot change the outcome afterwards. Skips rows that are being claimed or recorded, so
 * that it cannot deadlock with them: the worker dead-letters them when they are due again. Returns their number.
 */
export async function deadLetterOpenDeliveries(
  trx: Kysely<unknown>,
  endpointId: string,
  actor: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with open as (
      select delivery_id from kernel_webhook_delivery d
      where d.endpoint_id = ${endpointId} and ${isOpen('d')}
      for update skip locked
    ), ended as (
      update kernel_webhook_delivery d
      set status = 'DLQ', dead_letter_reason = ${REASON}, settled_at = clock_timestamp(), next_attempt_at = null,
        is_parked = false, ${revokeLease('d')}, updated_at = clock_timestamp()
      from open where d.delivery_id = open.delivery_id
      returning d.*
    ), noted as (
      insert into kernel_ledger_entry (
        entry_id, kind, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, actor, reason,
        aggregate_type, aggregate_id, attributes
      )
      select ${UUID_V7}, 'dead-lettered', d.tenant_id, d.event_id, d.event_type, d.delivery_id, d.endpoint_id,
        d.trace_id, ${actor}, ${REASON}, e.aggregate_type, e.aggregate_id, e.attributes
      from ended d left join kernel_outbox_event e on e.event_id = d.event_id
    )
    select count(*)::int as count from ended
  `.execute(trx);
  return rows[0]!.count;
}

export interface EventRetention {
  publishedDays: number;
}

/**
 * Finished delivery `d` has an event left to send. A delivered one can be sent again while its event is within its
 * retention: after that its envelope may be dropped at any moment, and is retained for dead letters only.
 */
export function hasEvent({ publishedDays }: EventRetention): RawBuilder<boolean> {
  return sql`(
    exists (select from kernel_retained_event r where r.event_id = d.event_id)
    or exists (
      select from kernel_outbox_event e
      where e.event_id = d.event_id and (
        d.status = 'DLQ' or e.created_at > clock_timestamp() - ${publishedDays}::int * interval '1 day'
      )
    )
  )`;
}

/** A delivery that was requeued, with its state before. */
export interface RequeuedDelivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  traceId: string;
  previousStatus: DeliveryStatus;
  previousAttempts: number;
}

/**
 * Delivery: DLQ, DELIVERED --> PENDING (replay), due at once, attempts counted anew. Only finished deliveries whose
 * event is left: a second request gets no rows. The caller has locked the endpoints, so that none is enabled or
 * disabled meanwhile.
 *
 * Lane: resting --> ready, and blocked --> ready (dead letter replayed) where one of these blocks it. A lane whose head
 * waits for its retry keeps its time: otherwise every batch of a bulk replay would cost the head an attempt.
 *
 * Locks deliveries before lanes, against the order of all other statements. It cannot deadlock with them: it locks
 * finished deliveries, and a statement that holds lanes locks open ones. Lanes are locked in the order of routers.
 */
export async function requeueDeliveries(
  trx: Kysely<unknown>,
  deliveryIds: readonly string[],
  retention: EventRetention,
): Promise<RequeuedDelivery[]> {
  const { rows } = await sql<RequeuedDelivery>`
    with finished as materialized (
      select d.delivery_id, d.status, d.attempts from kernel_webhook_delivery d
      where d.delivery_id = any(${plainArray(deliveryIds)}::uuid[]) and d.status in ('DELIVERED', 'DLQ')
        and ${hasEvent(retention)}
      order by d.delivery_id
      for update of d
    ), requeued as (
      update kernel_webhook_delivery d
      set status = 'PENDING', attempts = 0, replay_count = d.replay_count + 1, next_attempt_at = clock_timestamp(),
        dead_letter_reason = null, settled_at = null, ${revokeLease('d')},
        is_parked = d.lane_id is null
          and not (select is_enabled from kernel_webhook_endpoint p where p.endpoint_id = d.endpoint_id),
        updated_at = clock_timestamp()
      from finished where d.delivery_id = finished.delivery_id
      returning d.*, finished.status as previous_status, finished.attempts as previous_attempts
    ), held as materialized (
      select l.lane_id, exists (select from requeued where requeued.delivery_id = l.blocked_by) as is_freed
      from kernel_lane l where l.lane_id in (select lane_id from requeued)
      order by l.endpoint_id, l.tenant_id, l.stream_key
      for update of l
    ), woken as (
      update kernel_lane l
      set ready_at = case when held.is_freed then clock_timestamp() else coalesce(l.ready_at, clock_timestamp()) end,
        wake_count = l.wake_count + 1,
        blocked_by = case when held.is_freed then null else l.blocked_by end,
        blocked_at = case when held.is_freed then null else l.blocked_at end
      from held where l.lane_id = held.lane_id
    )
    select delivery_id as "deliveryId", tenant_id as "tenantId", endpoint_id as "endpointId", event_id as "eventId",
      event_type as "eventType", trace_id as "traceId", previous_status as "previousStatus",
      previous_attempts as "previousAttempts"
    from requeued order by delivery_id
  `.execute(trx);
  return rows;
}
