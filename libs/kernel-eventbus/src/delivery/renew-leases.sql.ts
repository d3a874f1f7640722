import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';

export interface HeldLease {
  id: string;
  leaseEpoch: number;
}

export interface RenewalOrder {
  deliveries: readonly HeldLease[];
  /** Each with what was fetched of it. */
  lanes: readonly HeldLease[];
  workerId: string;
  leaseMs: number;
}

/** Prolongs leases that are still this worker's; what was taken from it stays where it is. */
export async function renewLeases(db: Kysely<unknown>, order: RenewalOrder): Promise<void> {
  const delivery = columnsOf(order.deliveries);
  const lane = columnsOf(order.lanes);
  const until = sql`clock_timestamp() + ${order.leaseMs} * interval '1 millisecond'`;
  await sql`
    with lane as (
      update kernel_lane l set lease_until = ${until}
      from unnest(${lane.plain('id')}::uuid[], ${lane.plain('leaseEpoch')}::int[]) as held (lane_id, lease_epoch)
      where l.lane_id = held.lane_id and (l.leased_by, l.lease_epoch) = (${order.workerId}, held.lease_epoch)
      returning l.lane_id
    ), fetched as (
      update kernel_webhook_delivery d set lease_until = ${until}
      from lane
      where d.lane_id = lane.lane_id and d.status in ('PENDING', 'FAILED') and d.leased_by = ${order.workerId}
    )
    update kernel_webhook_delivery d set lease_until = ${until}
    from unnest(${delivery.plain('id')}::uuid[], ${delivery.plain('leaseEpoch')}::int[]) as held (delivery_id, lease_epoch)
    where d.delivery_id = held.delivery_id and (d.leased_by, d.lease_epoch) = (${order.workerId}, held.lease_epoch)
  `.execute(db);
}
