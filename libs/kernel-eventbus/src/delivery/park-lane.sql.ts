import { sql, type Kysely } from 'kysely';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Puts the lane of a disabled endpoint outside the queue; see `park-delivery.sql.ts` for why the endpoint is read anew. */
export async function parkLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch, endpointId }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    with endpoint as (
      select is_enabled from kernel_webhook_endpoint where endpoint_id = ${endpointId} for share
    ), given_back as (
      update kernel_webhook_delivery
      set lease_until = null, leased_by = null
      where lane_id = ${laneId} and leased_by = ${workerId} and status in ('PENDING', 'FAILED')
    )
    update kernel_lane l
    set is_parked = not endpoint.is_enabled, lease_until = null, leased_by = null
    from endpoint
    where l.lane_id = ${laneId} and l.lease_epoch = ${laneEpoch} and l.leased_by = ${workerId}
  `.execute(db);
}
