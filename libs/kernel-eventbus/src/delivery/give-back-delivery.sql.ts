import { sql, type Kysely } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.js';

/** Back to the queue, as it was; whoever has room may take it at once. */
export async function giveBackDelivery(
  db: Kysely<unknown>,
  { deliveryId, leaseEpoch }: ClaimedDelivery,
  workerId: string,
): Promise<void> {
  await sql`
    update kernel_webhook_delivery set lease_until = null, leased_by = null
    where delivery_id = ${deliveryId} and (leased_by, lease_epoch) = (${workerId}, ${leaseEpoch})
  `.execute(db);
}
