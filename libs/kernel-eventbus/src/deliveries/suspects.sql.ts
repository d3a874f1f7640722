import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Sendable } from './sendable.js';
import { plainArray, textArray } from '@kernel/runtime';
import { leaseDeliveries, leaseLanes, type ClaimedLane, type ClaimLease } from './claims.sql.js';
import { isFree } from './lease-columns.sql.js';
import { isOpen, isSuspectDelivery, isSuspectLane } from './queues.sql.js';

export interface SuspectClaim extends ClaimLease {
  /** Size of the first group; each crash halves it. */
  groupSize: number;
  /** Expired leases are taken too. Default: true. */
  takesExpired?: boolean;
  /** Endpoints that this process can send to. Default: all. */
  sendable?: Sendable;
}

/** Deliveries, or lanes where no delivery outside of lanes is suspect. */
export interface SuspectGroup {
  deliveries: ClaimedDelivery[];
  lanes: ClaimedLane[];
}

/**
 * Advisory lock for turns among workers; held until the end of the transaction. The partitions' upkeep uses another
 * number.
 */
const SUSPECTS_TURN = 310_130;

/** True if suspects wait that this process can send, and no worker holds any. */
export async function suspectsWait(
  db: Kysely<unknown>,
  { takesExpired = true, sendable }: Pick<SuspectClaim, 'takesExpired' | 'sendable'> = {},
): Promise<boolean> {
  const { rows } = await sql<{ wait: boolean }>`
    select (
      exists (
        select from kernel_webhook_delivery d
        where ${isSuspectDelivery('d')} and d.next_attempt_at <= now() and ${isSendable('d', sendable)}
      ) or exists (
        select from kernel_lane l where ${isSuspectLane('l')} and l.ready_at <= now() and ${isSendable('l', sendable)}
      )
    ) and not exists (
      select from kernel_webhook_delivery d where ${isSuspectDelivery('d')} and not ${isFree('d', takesExpired)}
    ) and not exists (
      select from kernel_lane l where ${isSuspectLane('l')} and not ${isFree('l', takesExpired)}
    ) as wait
  `.execute(db);
  return rows[0]!.wait;
}

/**
 * Lease of a suspect delivery or lane: free --> leased (claimed). One group, within the transaction `trx`. Empty while
 * another worker holds suspects.
 */
export async function claimSuspects(trx: Kysely<unknown>, claim: SuspectClaim): Promise<SuspectGroup> {
  if (!(await takeTurn(trx, claim))) {
    return { deliveries: [], lanes: [] };
  }
  const deliveries = await claimSuspectDeliveries(trx, claim);
  const lanes = deliveries.length > 0 ? [] : await claimSuspectLanes(trx, claim);
  [...deliveries, ...lanes.flatMap((lane) => lane.deliveries)].forEach((delivery) => (delivery.isSuspect = true));
  return { deliveries, lanes };
}

/** No other worker claims suspects until the transaction ends, and none holds any. */
async function takeTurn(trx: Kysely<unknown>, claim: SuspectClaim): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${SUSPECTS_TURN}) as mine`.execute(
    trx,
  );
  // In a statement of its own, whose snapshot includes the claims of the previous turn.
  return rows[0]!.mine && suspectsWait(trx, claim);
}

/** Suspects with equally many crashes, the fewest first: most of them are innocent and soon delivered. */
function claimSuspectDeliveries(db: Kysely<unknown>, claim: SuspectClaim): Promise<ClaimedDelivery[]> {
  const isClaimable = sql`
    ${isSuspectDelivery('d')} and d.next_attempt_at <= now() and ${isFree('d', claim.takesExpired ?? true)}
    and ${isSendable('d', claim.sendable)}
  `;
  const due = sql`
    head as (
      select d.crashes from kernel_webhook_delivery d where ${isClaimable} order by d.crashes limit 1
    ), due as (
      select d.delivery_id
      from head
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where ${isClaimable} and d.crashes = head.crashes
        order by next_attempt_at
        limit ${sizeAfter(sql.ref('head.crashes'), claim)}
        for update skip locked
      ) d
    )
  `;
  return leaseDeliveries(db, due, claim);
}

/** The same of lanes, each with its head alone. */
function claimSuspectLanes(db: Kysely<unknown>, claim: SuspectClaim): Promise<ClaimedLane[]> {
  const isUnheld = isFree('l', claim.takesExpired ?? true);
  const due = sql`
    suspect as (
      select l.lane_id, coalesce(head.crashes, 0) as crashes
      from kernel_lane l
      left join lateral (
        select d.crashes from kernel_webhook_delivery d
        where d.lane_id = l.lane_id and ${isOpen('d')}
        order by d.stream_sequence limit 1
      ) head on true
      where ${isSuspectLane('l')} and l.ready_at <= now() and ${isUnheld} and ${isSendable('l', claim.sendable)}
    ), fewest as (
      select min(crashes) as crashes from suspect
    ), due as (
      select lane_id from kernel_lane l
      where lane_id in (select lane_id from suspect join fewest using (crashes)) and ${isUnheld}
      order by ready_at
      limit (select ${sizeAfter(sql.ref('fewest.crashes'), claim)} from fewest)
      for update skip locked
    )
  `;
  return leaseLanes(db, due, claim, 1);
}

/** Halved with every crash but the first. */
function sizeAfter(crashes: RawBuilder<unknown>, { groupSize }: SuspectClaim): RawBuilder<unknown> {
  return sql`greatest(1, ${groupSize}::int >> least(30, greatest(0, ${crashes} - 1)))`;
}

/** This process can send to the endpoint of `row`. */
function isSendable(row: string, sendable: Sendable | undefined): RawBuilder<unknown> {
  if (!sendable) {
    return sql`true`;
  }
  const { endpointIds, dispatchers, defaultDispatcher } = sendable;
  return sql`exists (
    select from kernel_webhook_endpoint p
    where p.endpoint_id = ${sql.ref(`${row}.endpoint_id`)} and (
        p.endpoint_id = any(${plainArray(endpointIds)}::uuid[])
        or coalesce(p.dispatcher, ${defaultDispatcher}) = any(${textArray(dispatchers)}::text[])
      )
  )`;
}
