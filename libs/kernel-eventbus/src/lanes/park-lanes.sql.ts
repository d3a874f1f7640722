import { sql, type Kysely } from 'kysely';

/**
 * Takes an endpoint's lanes out of the queue. What a worker holds at this moment is left alone: it parks the lane when it
 * claims it next. So this never waits, and cannot deadlock with outcomes that are being recorded.
 */
export async function parkLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with waiting as (
      select lane_id from kernel_lane
      where endpoint_id = ${endpointId} and not is_parked and (ready_at is not null or blocked_by is not null)
        and (lease_until is null or lease_until <= clock_timestamp())
      for update skip locked
    )
    update kernel_lane l set is_parked = true
    from waiting where l.lane_id = waiting.lane_id
  `.execute(trx);
}
