import { sql, type Kysely } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.js';

/**
 * Puts a delivery of a disabled endpoint outside the queue; it keeps its status and costs no attempt. The endpoint's row
 * is locked and read anew, so that an endpoint which is enabled at this very moment does not leave it parked for ever; nor one
 * that was deleted, whose deliveries the next claim ends.
 */
export async function parkDelivery(
  db: Kysely<unknown>,
  { deliveryId, endpointId, leaseEpoch }: ClaimedDelivery,
  workerId: string,
): Promise<void> {
  await sql`
    with endpoint as (
      select is_enabled, deleted_at from kernel_webhook_endpoint where endpoint_id = ${endpointId} for share
    )
    update kernel_webhook_delivery d
    set is_parked = not endpoint.is_enabled and endpoint.deleted_at is null, lease_until = null, leased_by = null, updated_at = clock_timestamp()
    from endpoint
    where d.delivery_id = ${deliveryId} and d.lease_epoch = ${leaseEpoch} and d.leased_by = ${workerId}
  `.execute(db);
}
