import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isSuspectLane } from '../lanes/lane-queues.sql.js';
import type { Sendable } from '../dispatch/capabilities.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { plainArray, textArray } from '../runtime/array-literal.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { isSuspectDelivery } from './delivery-queues.sql.js';
import { leaseDeliveries } from './lease-deliveries.sql.js';
import { leaseLanes, type ClaimedLane } from './lease-lanes.sql.js';

/** `groupSize`: of the first group; each crash halves it. */
export type SuspectClaim = Pick<Claim, 'leaseMs' | 'workerId' | 'probeMs' | 'takesExpired'> & {
  groupSize: number;
  /** Endpoints that this process can send to. Default: all. */
  sendable?: Sendable;
};

/** Turns among workers; the turn ends with the transaction. The partitions' upkeep has a number of its own. */
const SUSPECTS_TURN = 310_130;

/** A row that no worker holds. */
function isFree(takesExpired: boolean): RawBuilder<unknown> {
  return sql`(lease_until is null or (${takesExpired} and lease_until <= now()))`;
}

/** The endpoint of `row` is one that this process can send to. */
function isSendable(row: string, sendable: Sendable | undefined): RawBuilder<unknown> {
  if (!sendable) {
    return sql`true`;
  }
  const { handlerEndpointIds, dispatchers, defaultDispatcher } = sendable;
  return sql`exists (
    select from kernel_webhook_endpoint p
    where p.endpoint_id = ${sql.ref(`${row}.endpoint_id`)} and case
        when p.dispatcher = ${HANDLER_DISPATCHER} then p.endpoint_id = any(${plainArray(handlerEndpointIds)}::uuid[])
        else coalesce(p.dispatcher, ${defaultDispatcher}) = any(${textArray(dispatchers)}::text[])
      end
  )`;
}

/** Suspects wait that this process can send, and no worker holds any. */
export async function suspectsWait(
  db: Kysely<unknown>,
  { takesExpired = true, sendable }: Pick<SuspectClaim, 'takesExpired' | 'sendable'> = {},
): Promise<boolean> {
  const { rows } = await sql<{ wait: boolean }>`
    select (
      exists (select from kernel_webhook_delivery d where ${isSuspectDelivery('d')} and next_attempt_at <= now() and ${isSendable('d', sendable)})
      or exists (select from kernel_lane l where ${isSuspectLane('l')} and ready_at <= now() and ${isSendable('l', sendable)})
    ) and not exists (
      select from kernel_webhook_delivery d where ${isSuspectDelivery('d')} and not ${isFree(takesExpired)}
    ) and not exists (
      select from kernel_lane l where ${isSuspectLane('l')} and not ${isFree(takesExpired)}
    ) as wait
  `.execute(db);
  return rows[0]!.wait;
}

/** Deliveries, or lanes where no delivery outside of lanes is suspect. */
export interface SuspectGroup {
  deliveries: ClaimedDelivery[];
  lanes: ClaimedLane[];
}

/** Claims a group within the transaction `trx`. Empty while another worker holds suspects. */
export async function claimSuspects(trx: Kysely<unknown>, claim: SuspectClaim): Promise<SuspectGroup> {
  if (!(await takeTurn(trx, claim))) {
    return { deliveries: [], lanes: [] };
  }
  const deliveries = await claimDeliveries(trx, claim);
  const lanes = deliveries.length > 0 ? [] : await claimLanes(trx, claim);
  [...deliveries, ...lanes.flatMap((lane) => lane.deliveries)].forEach((delivery) => (delivery.isSuspect = true));
  return { deliveries, lanes };
}

/** No other worker claims suspects until the transaction ends, and none holds any. */
async function takeTurn(trx: Kysely<unknown>, claim: SuspectClaim): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${SUSPECTS_TURN}) as mine`.execute(
    trx,
  );
  // In a statement of its own, which sees what the turn before this one claimed.
  return rows[0]!.mine && suspectsWait(trx, claim);
}

/** A group of suspects with equally many crashes, those with the fewest first: most of them are innocent, and soon delivered. */
function claimDeliveries(db: Kysely<unknown>, claim: SuspectClaim): Promise<ClaimedDelivery[]> {
  const due = sql`
    head as (
      select d.crashes from kernel_webhook_delivery d
      where ${isSuspectDelivery('d')} and next_attempt_at <= now() and ${isFree(claim.takesExpired ?? true)}
        and ${isSendable('d', claim.sendable)}
      order by d.crashes limit 1
    ), due as (
      select d.delivery_id
      from head
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where ${isSuspectDelivery('d')} and next_attempt_at <= now() and ${isFree(claim.takesExpired ?? true)} and d.crashes = head.crashes
          and ${isSendable('d', claim.sendable)}
        order by next_attempt_at
        limit ${sizeAfter(sql.ref('head.crashes'), claim)}
        for update skip locked
      ) d
    )
  `;
  return leaseDeliveries(db, due, claim);
}

/** The same of lanes, each with its head alone. */
function claimLanes(db: Kysely<unknown>, claim: SuspectClaim): Promise<ClaimedLane[]> {
  const fitting = sql`
    suspect as (
      select l.lane_id, coalesce(head.crashes, 0) as crashes
      from kernel_lane l
      left join lateral (
        select d.crashes from kernel_webhook_delivery d
        where d.lane_id = l.lane_id and d.status in ('PENDING', 'FAILED')
        order by d.stream_sequence limit 1
      ) head on true
      where ${isSuspectLane('l')} and ready_at <= now() and ${isFree(claim.takesExpired ?? true)}
        and ${isSendable('l', claim.sendable)}
    ), fewest as (
      select min(crashes) as crashes from suspect
    ), fitting as (
      select lane_id from kernel_lane l
      where lane_id in (select lane_id from suspect join fewest using (crashes)) and ${isFree(claim.takesExpired ?? true)}
      order by ready_at
      limit (select ${sizeAfter(sql.ref('fewest.crashes'), claim)} from fewest)
      for update skip locked
    )
  `;
  return leaseLanes(db, fitting, claim, 1);
}

/** Halved with every crash but the first. */
function sizeAfter(crashes: RawBuilder<unknown>, { groupSize }: SuspectClaim): RawBuilder<unknown> {
  return sql`greatest(1, ${groupSize}::int >> least(30, greatest(0, ${crashes} - 1)))`;
}
