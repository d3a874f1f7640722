import { sql, type Kysely } from 'kysely';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Puts a lane and what was fetched of it back into the queue, if this worker still holds it. Locks the lane, then its deliveries. */
export async function releaseLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    with released as (
      update kernel_lane
      set lease_until = null, leased_by = null, ready_at = clock_timestamp()
      where lane_id = ${laneId} and lease_epoch = ${laneEpoch} and leased_by = ${workerId}
      returning lane_id
    )
    update kernel_webhook_delivery d
    set lease_until = null, leased_by = null
    from released
    where d.lane_id = released.lane_id and d.leased_by = ${workerId} and d.status in ('PENDING', 'FAILED')
  `.execute(db);
}
