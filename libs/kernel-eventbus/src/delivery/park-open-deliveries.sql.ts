import { sql, type Kysely } from 'kysely';

/**
 * Takes an endpoint's open deliveries out of the queue; status and attempts stay. What is in flight is left alone, and so is
 * what somebody holds at this moment: the worker parks it when it is due again. So this never waits, and cannot deadlock
 * with outcomes that are being recorded; and what is parked is never in flight. What is in a lane is parked with the lane.
 */
export async function parkOpenDeliveries(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with open as (
      select delivery_id from kernel_webhook_delivery
      where endpoint_id = ${endpointId} and lane_id is null and status in ('PENDING', 'FAILED') and not is_parked
        and (lease_until is null or lease_until <= clock_timestamp())
      for update skip locked
    )
    update kernel_webhook_delivery d set is_parked = true, updated_at = clock_timestamp()
    from open where d.delivery_id = open.delivery_id
  `.execute(trx);
}
