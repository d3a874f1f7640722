import { sql, type Kysely } from 'kysely';

/**
 * Puts an endpoint's parked lanes back into the queue. What came due in the meantime is due now, a head that waits for its
 * retry keeps its time. The endpoint's row is locked before, as `parkLane` does it, so that none is parked behind our back.
 * Only a router can hold a parked lane; it takes lanes in the same order.
 */
export async function resumeLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with parked as (
      select lane_id from kernel_lane where endpoint_id = ${endpointId} and is_parked
      order by stream_key for update
    )
    update kernel_lane l
    set is_parked = false, wake_count = l.wake_count + 1,
      ready_at = case when l.ready_at is not null then greatest(l.ready_at, clock_timestamp()) end
    from parked where l.lane_id = parked.lane_id
  `.execute(trx);
}
