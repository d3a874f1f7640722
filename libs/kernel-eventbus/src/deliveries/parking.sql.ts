import { sql, type Kysely } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { ClaimedLane } from './claims.sql.js';
import { CLEAR_LEASE, isUnleased } from './lease-columns.sql.js';
import { releaseFetched } from './leases.sql.js';
import { isOpen } from './queues.sql.js';

// A parked delivery or lane keeps its status and attempts, and is outside the queue while its endpoint is disabled.

/**
 * Delivery: leased --> parked (endpoint disabled), for a claimed delivery. The endpoint's row is locked and read again,
 * so that a delivery is not left parked if the endpoint is enabled at this moment; nor if it was deleted, whose
 * deliveries the next claim dead-letters.
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
    set is_parked = not endpoint.is_enabled and endpoint.deleted_at is null, ${CLEAR_LEASE},
      updated_at = clock_timestamp()
    from endpoint
    where d.delivery_id = ${deliveryId} and (d.leased_by, d.lease_epoch) = (${workerId}, ${leaseEpoch})
  `.execute(db);
}

/** Lane: leased --> parked (endpoint disabled), for a claimed lane. Reads the endpoint again for the same reason. */
export async function parkLane(
  db: Kysely<unknown>,
  { laneId, laneEpoch, endpointId }: ClaimedLane,
  workerId: string,
): Promise<void> {
  await sql`
    with endpoint as (
      select is_enabled from kernel_webhook_endpoint where endpoint_id = ${endpointId} for share
    ), parked as (
      update kernel_lane l
      set is_parked = not endpoint.is_enabled, ${CLEAR_LEASE}
      from endpoint
      where l.lane_id = ${laneId} and (l.leased_by, l.lease_epoch) = (${workerId}, ${laneEpoch})
      returning l.lane_id
    )
    ${releaseFetched('parked', workerId)}
  `.execute(db);
}

/**
 * Delivery: free --> parked (endpoint disabled), for the endpoint's open deliveries outside of lanes. Skips those in
 * flight and locked rows: the worker parks them when they are due again. So this statement never waits and cannot
 * deadlock with outcomes being recorded, and a parked delivery is never in flight.
 */
export async function parkOpenDeliveries(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with open as (
      select delivery_id from kernel_webhook_delivery d
      where d.endpoint_id = ${endpointId} and d.lane_id is null and ${isOpen('d')} and not d.is_parked
        and ${isUnleased('d')}
      for update skip locked
    )
    update kernel_webhook_delivery d set is_parked = true, updated_at = clock_timestamp()
    from open where d.delivery_id = open.delivery_id
  `.execute(trx);
}

/**
 * Lane: free --> parked (endpoint disabled), for the endpoint's lanes. Skips lanes that a worker holds: it parks them
 * when it claims them next. So this statement never waits and cannot deadlock with outcomes being recorded.
 */
export async function parkLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with waiting as (
      select lane_id from kernel_lane l
      where l.endpoint_id = ${endpointId} and not l.is_parked and (l.ready_at is not null or l.blocked_by is not null)
        and ${isUnleased('l')}
      for update skip locked
    )
    update kernel_lane l set is_parked = true
    from waiting where l.lane_id = waiting.lane_id
  `.execute(trx);
}

/**
 * Delivery: parked --> free (endpoint enabled). Overdue deliveries are due at once. The caller has locked the
 * endpoint's row, as `parkDelivery` does, so that none is parked meanwhile. Deliveries in lanes resume with their lane:
 * workers claim them whatever this flag says, in another lock order, and could deadlock with this statement.
 */
export async function resumeParkedDeliveries(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    update kernel_webhook_delivery d set is_parked = false, updated_at = clock_timestamp()
    where d.endpoint_id = ${endpointId} and d.lane_id is null and ${isOpen('d')} and d.is_parked
  `.execute(trx);
}

/**
 * Lane: parked --> free (endpoint enabled). Overdue lanes are due now, a head that waits for its retry keeps its time.
 * The caller has locked the endpoint's row, as `parkLane` does, so that none is parked meanwhile. Only a router can
 * hold a parked lane; it locks lanes in the same order.
 */
export async function resumeLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with parked as (
      select lane_id from kernel_lane where endpoint_id = ${endpointId} and is_parked
      order by stream_key for update
    )
    update kernel_lane l
    set is_parked = false, wake_count = l.wake_count + 1,
      ready_at = case when l.ready_at is not null then greatest(l.ready_at, clock_timestamp()) end
    from parked where l.lane_id = parked.lane_id
  `.execute(trx);
}
