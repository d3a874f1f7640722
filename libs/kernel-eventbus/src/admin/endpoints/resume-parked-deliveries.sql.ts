import { sql, type Kysely } from 'kysely';

/**
 * Puts an endpoint's parked deliveries back into the queue; what came due in the meantime is due at once. The endpoint's
 * row is locked before, as `parkDelivery` does it, so that none is parked behind our back. What is in a lane resumes with it;
 * workers claim it whatever its flag says, in an order of their own, and could deadlock with us over it.
 */
export async function resumeParkedDeliveries(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    update kernel_webhook_delivery set is_parked = false, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId} and lane_id is null and status in ('PENDING', 'FAILED') and is_parked
  `.execute(trx);
}
