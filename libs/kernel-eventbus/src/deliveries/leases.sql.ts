import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { columnsOf, plainArray } from '@kernel/runtime';
import type { ClaimedLane } from './claims.sql.js';
import { CLEAR_LEASE, leaseEnd, revokeLease, type Lease } from './lease-columns.sql.js';
import { isOpen } from './queues.sql.js';

export interface HeldLease {
  id: string;
  leaseEpoch: number;
}

export interface RenewalRequest extends Lease {
  deliveries: readonly HeldLease[];
  /** Each with the deliveries fetched of it. */
  lanes: readonly HeldLease[];
}

/**
 * Lease: leased --> leased (renewed). Only leases that the worker still holds. A row that another transaction has
 * locked is having its outcome recorded, and is skipped, so that this statement never waits.
 */
export async function renewLeases(
  db: Kysely<unknown>,
  { deliveries, lanes, workerId, leaseMs }: RenewalRequest,
): Promise<void> {
  const delivery = columnsOf(deliveries);
  const lane = columnsOf(lanes);
  await sql`
    with free_lane as (
      select l.lane_id
      from unnest(${lane.plain('id')}::uuid[], ${lane.plain('leaseEpoch')}::int[]) as held (lane_id, lease_epoch)
      join kernel_lane l on l.lane_id = held.lane_id and l.lease_epoch = held.lease_epoch
      where l.leased_by = ${workerId}
      for update of l skip locked
    ), lane as (
      update kernel_lane l set lease_until = ${leaseEnd(leaseMs)} from free_lane where l.lane_id = free_lane.lane_id
      returning l.lane_id
    ), free_delivery as (
      select d.delivery_id
      from unnest(${delivery.plain('id')}::uuid[], ${delivery.plain('leaseEpoch')}::int[])
        as held (delivery_id, lease_epoch)
      join kernel_webhook_delivery d on d.delivery_id = held.delivery_id and d.lease_epoch = held.lease_epoch
      where d.leased_by = ${workerId}
      for update of d skip locked
    ), fetched as (
      select d.delivery_id
      from lane join kernel_webhook_delivery d on d.lane_id = lane.lane_id
      where ${isOpen('d')} and d.leased_by = ${workerId}
      for update of d skip locked
    )
    update kernel_webhook_delivery d set lease_until = ${leaseEnd(leaseMs)}
    where d.delivery_id in (select delivery_id from free_delivery union all select delivery_id from fetched)
  `.execute(db);
}

/** Lease of a delivery: leased --> free (released). */
export function releaseDelivery(
  db: Kysely<unknown>,
  { deliveryId, leaseEpoch }: ClaimedDelivery,
  workerId: string,
): Promise<void> {
  return releaseDeliveries(db, [deliveryId], leaseEpoch, workerId);
}

/** The same for deliveries that were leased on insert and never begun: their epoch is the first. */
export async function releaseUnbegun(
  db: Kysely<unknown>,
  deliveryIds: readonly string[],
  workerId: string,
): Promise<void> {
  if (deliveryIds.length > 0) {
    await releaseDeliveries(db, deliveryIds, 1, workerId);
  }
}

async function releaseDeliveries(
  db: Kysely<unknown>,
  deliveryIds: readonly string[],
  leaseEpoch: number,
  workerId: string,
): Promise<void> {
  await sql`
    update kernel_webhook_delivery set ${CLEAR_LEASE}
    where delivery_id = any(${plainArray(deliveryIds)}::uuid[])
      and (leased_by, lease_epoch) = (${workerId}, ${leaseEpoch})
  `.execute(db);
}

/** Lease of a lane and of its fetched deliveries: leased --> free (released). Locks the lane, then its deliveries. */
export async function releaseLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    with released as (
      update kernel_lane
      set ${CLEAR_LEASE}, ready_at = clock_timestamp()
      where lane_id = ${laneId} and (leased_by, lease_epoch) = (${workerId}, ${laneEpoch})
      returning lane_id
    )
    ${releaseFetched('released', workerId)}
  `.execute(db);
}

/**
 * Lane: ready --> resting (nothing waits), with its lease. Stays ready if an event was routed into it since the claim.
 */
export async function releaseEmptyLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch, wakeCount }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    update kernel_lane
    set ${CLEAR_LEASE}, is_suspect = false, ready_at = case when wake_count <> ${wakeCount} then clock_timestamp() end
    where lane_id = ${laneId} and (leased_by, lease_epoch) = (${workerId}, ${laneEpoch})
  `.execute(db);
}

/** The update that ends the leases of deliveries fetched with the lanes of the CTE `lanes`, which released them. */
export function releaseFetched(lanes: string, workerId: string): RawBuilder<unknown> {
  const lane = sql.raw(lanes);
  return sql`
    update kernel_webhook_delivery d
    set ${CLEAR_LEASE}
    from ${lane}
    where d.lane_id = ${lane}.lane_id and d.leased_by = ${workerId} and ${isOpen('d')}
  `;
}

/**
 * Lease: leased --> free (released), for everything that a stopping worker holds. No attempt is used up, and another
 * worker may claim it at once.
 */
export async function releaseLeases(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    with locked_lane as materialized (
      select lane_id from kernel_lane where leased_by = ${workerId}
      order by endpoint_id, tenant_id, stream_key for no key update
    ), lane as (
      update kernel_lane l set ${revokeLease('l')}
      from locked_lane where l.lane_id = locked_lane.lane_id and l.leased_by = ${workerId}
      returning l.lane_id
    ), locked_delivery as materialized (
      select delivery_id from kernel_webhook_delivery d
      where d.leased_by = ${workerId} and d.lease_until is not null and ${isOpen('d')}
        and (select count(*) from lane) >= 0
      order by delivery_id for no key update
    )
    update kernel_webhook_delivery d
    set ${revokeLease('d')}
    from locked_delivery where d.delivery_id = locked_delivery.delivery_id and d.leased_by = ${workerId}
  `.execute(db);
}
