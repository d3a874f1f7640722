import { sql, type Kysely } from 'kysely';
import { plainArray } from '../runtime/array-literal.js';

/**
 * Wakes lanes after deliveries of theirs were queued again; one that was blocked by any of these goes on. A lane whose head
 * waits for its retry keeps its time: otherwise every batch of a bulk replay would cost the head an attempt. In the order in
 * which routers take lanes.
 */
export async function wakeLanes(
  trx: Kysely<unknown>,
  laneIds: readonly string[],
  deliveryIds: readonly string[],
): Promise<void> {
  await sql`
    with held as (
      select lane_id, blocked_by = any(${plainArray(deliveryIds)}::uuid[]) as is_freed
      from kernel_lane where lane_id = any(${plainArray(laneIds)}::uuid[])
      order by endpoint_id, tenant_id, stream_key
      for update
    )
    update kernel_lane l
    set ready_at = coalesce(l.ready_at, clock_timestamp()), wake_count = l.wake_count + 1,
      blocked_by = case when held.is_freed then null else l.blocked_by end,
      blocked_at = case when held.is_freed then null else l.blocked_at end
    from held where l.lane_id = held.lane_id
  `.execute(trx);
}
