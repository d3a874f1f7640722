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
    ), parked as (
      update kernel_lane l
      set is_parked = not endpoint.is_enabled, lease_until = null, leased_by = null
      from endpoint
      where l.lane_id = ${laneId} and l.lease_epoch = ${laneEpoch} and l.leased_by = ${workerId}
      returning l.lane_id
    )
    update kernel_webhook_delivery d
    set lease_until = null, leased_by = null
    from parked
    where d.lane_id = parked.lane_id and d.leased_by = ${workerId} and d.status in ('PENDING', 'FAILED')
  `.execute(db);
}
