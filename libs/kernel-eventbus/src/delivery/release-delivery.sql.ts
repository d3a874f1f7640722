import { sql, type Kysely } from 'kysely';
import { plainArray } from '../runtime/array-literal.js';
import type { ClaimedDelivery } from './claimed-delivery.js';

/** Puts a delivery back into the queue as it was, if this worker still holds it. */
export async function releaseDelivery(
  db: Kysely<unknown>,
  { deliveryId, leaseEpoch }: ClaimedDelivery,
  workerId: string,
): Promise<void> {
  await sql`
    update kernel_webhook_delivery set lease_until = null, leased_by = null
    where delivery_id = ${deliveryId} and (leased_by, lease_epoch) = (${workerId}, ${leaseEpoch})
  `.execute(db);
}

/** The same for deliveries that were inserted under this worker's lease and never begun. */
export async function releaseUnbegun(
  db: Kysely<unknown>,
  deliveryIds: readonly string[],
  workerId: string,
): Promise<void> {
  if (deliveryIds.length > 0) {
    await sql`
      update kernel_webhook_delivery set lease_until = null, leased_by = null
      where delivery_id = any(${plainArray(deliveryIds)}::uuid[]) and (leased_by, lease_epoch) = (${workerId}, 1)
    `.execute(db);
  }
}
