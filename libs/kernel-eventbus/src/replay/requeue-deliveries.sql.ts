import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';

export interface Requeue {
  deliveryId: string;
  /** Its endpoint is disabled, and it is in no lane that would be parked instead. */
  isParked: boolean;
}

/** Back to PENDING and due at once, attempts counted anew. The rows are held by the caller, and settled. */
export async function requeueDeliveries(trx: Kysely<unknown>, deliveries: readonly Requeue[]): Promise<void> {
  const { plain } = columnsOf(deliveries);
  await sql`
    update kernel_webhook_delivery d
    set status = 'PENDING', attempts = 0, replay_count = d.replay_count + 1, next_attempt_at = clock_timestamp(), dead_letter_reason = null,
      settled_at = null, lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1, is_parked = r.is_parked,
      updated_at = clock_timestamp()
    from unnest(${plain('deliveryId')}::uuid[], ${plain('isParked')}::boolean[]) as r (delivery_id, is_parked)
    where d.delivery_id = r.delivery_id
  `.execute(trx);
}
