import { sql, type Kysely } from 'kysely';
import { hasEvent, type EventRetention } from './replayable.sql.js';

/**
 * Back to PENDING and due at once, attempts counted anew; only what is settled, so a second request finds nothing to do.
 * Its lane wakes up, and goes on if this was the dead letter that blocked it; one whose head waits for its retry keeps its time.
 */
export async function requeueDelivery(
  trx: Kysely<unknown>,
  deliveryId: string,
  retention: EventRetention,
): Promise<boolean> {
  const { rows } = await sql`
    with requeued as (
      update kernel_webhook_delivery d
      set status = 'PENDING', attempts = 0, replay_count = d.replay_count + 1, next_attempt_at = clock_timestamp(), dead_letter_reason = null,
        settled_at = null, lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1,
        is_parked = d.lane_id is null and not (select is_enabled from kernel_webhook_endpoint p where p.endpoint_id = d.endpoint_id),
        updated_at = clock_timestamp()
      where delivery_id = ${deliveryId} and status in ('DELIVERED', 'DLQ') and ${hasEvent(retention)}
      returning d.lane_id
    ), woken as (
      update kernel_lane l
      set ready_at = case when l.blocked_by = ${deliveryId} then clock_timestamp() else coalesce(l.ready_at, clock_timestamp()) end,
        wake_count = l.wake_count + 1,
        blocked_by = nullif(l.blocked_by, ${deliveryId}),
        blocked_at = case when l.blocked_by <> ${deliveryId} then l.blocked_at end
      from requeued where l.lane_id = requeued.lane_id
    )
    select lane_id from requeued
  `.execute(trx);
  return rows.length === 1;
}
