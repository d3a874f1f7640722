import { sql, type Kysely } from 'kysely';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Lets go of a lane in which nothing was waiting, unless something came in since. */
export async function restLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch, wakeCount }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    update kernel_lane
    set lease_until = null, leased_by = null, is_suspect = false,
      ready_at = case when wake_count <> ${wakeCount} then clock_timestamp() end
    where lane_id = ${laneId} and lease_epoch = ${laneEpoch} and leased_by = ${workerId}
  `.execute(db);
}
