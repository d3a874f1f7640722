import { sql, type Kysely } from 'kysely';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Gives a lane back to be looked at anew, if it is still this worker's. */
export async function letGoOfLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    with given_back as (
      update kernel_webhook_delivery
      set lease_until = null, leased_by = null
      where lane_id = ${laneId} and leased_by = ${workerId} and status in ('PENDING', 'FAILED')
    )
    update kernel_lane
    set lease_until = null, leased_by = null, ready_at = clock_timestamp()
    where lane_id = ${laneId} and lease_epoch = ${laneEpoch} and leased_by = ${workerId}
  `.execute(db);
}
