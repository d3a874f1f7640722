import { sql, type Kysely } from 'kysely';

/**
 * Takes the lanes of a deleted endpoint out of the queue, before their deliveries are ended. What a worker or a router
 * holds at this moment is passed over: a worker finds it empty when it claims it next, or ends what came in.
 */
export async function emptyLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with idle as (
      select lane_id from kernel_lane
      where endpoint_id = ${endpointId} and ready_at is not null
        and (lease_until is null or lease_until <= clock_timestamp())
      for update skip locked
    )
    update kernel_lane l set ready_at = null
    from idle where l.lane_id = idle.lane_id
  `.execute(trx);
}
