import { sql, type Kysely } from 'kysely';

/** Back to PENDING and due at once, attempts counted anew; only what is settled, so a second request finds nothing to do. */
export async function requeueDelivery(trx: Kysely<unknown>, deliveryId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_webhook_delivery
    set status = 'PENDING', attempts = 0, next_attempt_at = clock_timestamp(), dead_letter_reason = null,
      settled_at = null, lease_until = null, leased_by = null, lease_epoch = lease_epoch + 1,
      is_parked = not (select is_enabled from kernel_webhook_endpoint p where p.endpoint_id = kernel_webhook_delivery.endpoint_id),
      updated_at = clock_timestamp()
    where delivery_id = ${deliveryId} and status in ('DELIVERED', 'DLQ')
  `.execute(trx);
  return numAffectedRows === 1n;
}
