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

/**
 * Prolongs leases that are still this worker's; what was taken from it stays where it is. What somebody holds at this moment is
 * being settled, and passed over, so that nobody waits here.
 */
export async function renewLeases(db: Kysely<unknown>, order: RenewalOrder): Promise<void> {
  const delivery = columnsOf(order.deliveries);
  const lane = columnsOf(order.lanes);
  const until = sql`clock_timestamp() + ${order.leaseMs} * interval '1 millisecond'`;
  await sql`
    with free_lane as (
      select l.lane_id
      from unnest(${lane.plain('id')}::uuid[], ${lane.plain('leaseEpoch')}::int[]) as held (lane_id, lease_epoch)
      join kernel_lane l on l.lane_id = held.lane_id and l.lease_epoch = held.lease_epoch
      where l.leased_by = ${order.workerId}
      for update of l skip locked
    ), lane as (
      update kernel_lane l set lease_until = ${until} from free_lane where l.lane_id = free_lane.lane_id
      returning l.lane_id
    ), free_delivery as (
      select d.delivery_id
      from unnest(${delivery.plain('id')}::uuid[], ${delivery.plain('leaseEpoch')}::int[]) as held (delivery_id, lease_epoch)
      join kernel_webhook_delivery d on d.delivery_id = held.delivery_id and d.lease_epoch = held.lease_epoch
      where d.leased_by = ${order.workerId}
      for update of d skip locked
    ), fetched as (
      select d.delivery_id
      from lane join kernel_webhook_delivery d on d.lane_id = lane.lane_id
      where d.status in ('PENDING', 'FAILED') and d.leased_by = ${order.workerId}
      for update of d skip locked
    )
    update kernel_webhook_delivery d set lease_until = ${until}
    where d.delivery_id in (select delivery_id from free_delivery union all select delivery_id from fetched)
  `.execute(db);
}
