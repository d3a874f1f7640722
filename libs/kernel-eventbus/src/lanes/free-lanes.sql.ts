import { sql, type Kysely } from 'kysely';

/**
 * Lets go on what is blocked or parked in an endpoint's lanes, because nobody will come to do it. Waits for the routers
 * that hold such a lane, and takes lanes in their order: none may stay behind with a delivery that was routed just now.
 */
export async function freeLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with held_up as (
      select lane_id from kernel_lane
      where endpoint_id = ${endpointId} and (blocked_by is not null or is_parked)
      order by stream_key for update
    )
    update kernel_lane l
    set blocked_by = null, blocked_at = null, is_parked = false, ready_at = clock_timestamp(), wake_count = l.wake_count + 1
    from held_up where l.lane_id = held_up.lane_id
  `.execute(trx);
}
