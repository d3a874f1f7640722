import { sql, type Kysely } from 'kysely';
import { isSuspectLane } from '../lanes/lane-queues.sql.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { isSuspectDelivery } from './delivery-queues.sql.js';
import { leaseDeliveries } from './lease-deliveries.sql.js';
import { leaseLanes, type ClaimedLane } from './lease-lanes.sql.js';

type SuspectClaim = Pick<Claim, 'leaseMs' | 'workerId' | 'probeMs'>;

export async function suspectsWait(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ wait: boolean }>`
    select exists (
      select from kernel_webhook_delivery d
      where ${isSuspectDelivery('d')} and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
    ) or exists (
      select from kernel_lane l
      where ${isSuspectLane('l')} and ready_at <= now() and (lease_until is null or lease_until <= now())
    ) as wait
  `.execute(db);
  return rows[0]!.wait;
}

/** One delivery that a silent worker held, for a worker that holds nothing else. */
export async function claimSuspectDelivery(
  db: Kysely<unknown>,
  claim: SuspectClaim,
): Promise<ClaimedDelivery | undefined> {
  const due = sql`
    due as (
      select delivery_id from kernel_webhook_delivery d
      where ${isSuspectDelivery('d')} and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
      order by next_attempt_at limit 1
      for update skip locked
    )
  `;
  const [delivery] = await leaseDeliveries(db, due, claim);
  return delivery;
}

/** The lane of such a delivery, with its head alone. */
export async function claimSuspectLane(db: Kysely<unknown>, claim: SuspectClaim): Promise<ClaimedLane | undefined> {
  const fitting = sql`
    fitting as (
      select lane_id from kernel_lane l
      where ${isSuspectLane('l')} and ready_at <= now() and (lease_until is null or lease_until <= now())
      order by ready_at limit 1
      for update skip locked
    )
  `;
  const [lane] = await leaseLanes(db, fitting, claim, 1);
  return lane;
}
