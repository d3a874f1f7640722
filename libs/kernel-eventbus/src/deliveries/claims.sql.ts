import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { EndpointCache, SeenEndpoint } from '../endpoints/endpoint-cache.js';
import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import { selectEndpointSettings } from '../endpoints/endpoint-settings.sql.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { columnsOf, inHotTransaction, PLANNED_EACH_TIME, executePrepared } from '@kernel/runtime';
import { DELIVERY_COLUMNS, DELIVERY_EVENT } from './delivery-columns.sql.js';
import { isFree, takeLease, type Lease } from './lease-columns.sql.js';
import { isOpen, isOpenLane, isQueued } from './queues.sql.js';

/** Deliveries fetched with a lane: those that one worker sends before the lane is open to all workers again. */
const LANE_BATCH = 10;

export interface ClaimLease extends Lease {
  /** Time until the next probe of an endpoint whose circuit is open, after this claim took its probe. */
  probeMs: number;
  endpoints: EndpointCache;
}

export interface DueClaim extends ClaimLease {
  limit: number;
  /** Expired leases are taken too. Default: true. */
  takesExpired?: boolean;
}

/** The number of deliveries or lanes to claim of one tenant's queue to one endpoint. */
export interface ClaimShare {
  tenantId: string;
  endpointId: string;
  /** `PENDING` or `FAILED`; of no meaning for lanes. */
  kind: string;
  count: number;
}

/** A leased lane with its next deliveries, in order. */
export interface ClaimedLane {
  laneId: string;
  laneEpoch: number;
  wakeCount: number;
  tenantId: string;
  endpointId: string;
  deliveries: ClaimedDelivery[];
  /** There may be more behind these. */
  isCut: boolean;
}

/** Lease of a delivery: free --> leased (claimed). The due deliveries of these queues, outside of lanes. */
export function claimDueDeliveries(
  db: Kysely<unknown>,
  shares: readonly ClaimShare[],
  claim: DueClaim,
): Promise<ClaimedDelivery[]> {
  const { plain } = columnsOf(shares);
  const due = sql`
    due as (
      select d.delivery_id
      from unnest(
        ${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[], ${plain('kind')}::text[], ${plain('count')}::int[]
      ) as share (tenant_id, endpoint_id, status, count)
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.tenant_id = share.tenant_id and d.endpoint_id = share.endpoint_id and d.status = share.status
          and ${isQueued('d')}
          and d.next_attempt_at <= now()
          and ${isFree('d', claim.takesExpired ?? true)}
        order by d.next_attempt_at
        limit share.count
        for update skip locked
      ) d
      limit ${claim.limit}
    )
  `;
  return leaseDeliveries(db, due, claim);
}

/** Lease of a lane: free --> leased (claimed). Lanes by readiness, never the rows behind a lane. */
export function claimDueLanes(
  db: Kysely<unknown>,
  shares: readonly ClaimShare[],
  claim: DueClaim,
): Promise<ClaimedLane[]> {
  const { plain } = columnsOf(shares);
  const due = sql`
    due as (
      select l.lane_id
      from unnest(${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[], ${plain('count')}::int[])
        as share (tenant_id, endpoint_id, count)
      cross join lateral (
        select lane_id from kernel_lane l
        where l.tenant_id = share.tenant_id and l.endpoint_id = share.endpoint_id
          and ${isOpenLane('l')} and l.ready_at <= now()
          and ${isFree('l', claim.takesExpired ?? true)}
        order by l.ready_at
        limit share.count
        for update skip locked
      ) l
      limit ${claim.limit}
    )
  `;
  return leaseLanes(db, due, claim, LANE_BATCH);
}

/** Leases the deliveries of the CTE `due` (ids whose rows it locked) and reads everything that their attempts need. */
export function leaseDeliveries(
  db: Kysely<unknown>,
  due: RawBuilder<unknown>,
  claim: ClaimLease,
): Promise<ClaimedDelivery[]> {
  const statement = sql<ClaimedRow>`
    with recursive ${due}, c as (
      update kernel_webhook_delivery d
      set ${takeLease('d', claim)}
      from due where d.delivery_id = due.delivery_id
      returning d.*
    ), probed as (${postponeProbes('c', claim)})
    select ${DELIVERY_COLUMNS}
    from c
    cross join ${DELIVERY_EVENT}
    join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    left join kernel_endpoint_circuit k on k.endpoint_id = c.endpoint_id
    order by c.next_attempt_at
  `;
  return inHotTransaction(
    db,
    async (trx) => {
      const rows = await executePrepared(trx, statement);
      const endpoints = await readEndpoints(trx, rows, claim);
      return rows.map((row) => Object.assign(row, { endpoint: endpoints.get(row.endpointId)! }));
    },
    PLANNED_EACH_TIME,
  );
}

/**
 * Leases the lanes of the CTE `due` (ids whose rows it locked) and the next deliveries of each. `seen` reads a lane as
 * of the statement's snapshot, like its deliveries: an event routed since is not among them, and the older wake count
 * shows it when the lane is released.
 */
export async function leaseLanes(
  db: Kysely<unknown>,
  due: RawBuilder<unknown>,
  claim: ClaimLease,
  deliveriesPerLane: number,
): Promise<ClaimedLane[]> {
  const statement = sql<LaneRow>`
    with recursive ${due}, lane as (
      update kernel_lane l
      set ${takeLease('l', claim)}
      from due where l.lane_id = due.lane_id
      returning l.*
    ), probed as (${postponeProbes('lane', claim)}), next as (
      select d.delivery_id
      from lane
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.lane_id = lane.lane_id and ${isOpen('d')}
        order by d.stream_sequence
        limit ${deliveriesPerLane}
      ) d
    ), c as (
      update kernel_webhook_delivery d
      set ${takeLease('d', claim)}
      from next where d.delivery_id = next.delivery_id and ${isOpen('d')}
      returning d.*
    )
    select lane.lane_id as "laneId", lane.lease_epoch as "laneEpoch", seen.wake_count as "wakeCount",
      lane.tenant_id as "laneTenantId", lane.endpoint_id as "laneEndpointId", ${DELIVERY_COLUMNS}
    from lane
    join kernel_lane seen on seen.lane_id = lane.lane_id
    left join c on c.lane_id = lane.lane_id
    left join ${DELIVERY_EVENT} on true
    left join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    left join kernel_endpoint_circuit k on k.endpoint_id = c.endpoint_id
    order by lane.ready_at, lane.lane_id, c.stream_sequence
  `;
  return inHotTransaction(
    db,
    async (trx) => {
      const rows = await executePrepared(trx, statement);
      const endpoints = await readEndpoints(trx, rows.filter(hasDelivery), claim);
      return gather(rows, endpoints, deliveriesPerLane);
    },
    PLANNED_EACH_TIME,
  );
}

/** Reads unknown endpoints within the claim's transaction: if that fails, nothing is claimed. */
function readEndpoints(
  trx: Kysely<unknown>,
  rows: readonly ClaimedRow[],
  { endpoints }: ClaimLease,
): Promise<ReadonlyMap<string, EndpointSettings>> {
  return endpoints.resolve(rows, (endpointIds) => selectEndpointSettings(trx, endpointIds));
}

/** No second probe while the claimed one is under way. */
function postponeProbes(claimed: string, { probeMs }: ClaimLease): RawBuilder<unknown> {
  return sql`
    update kernel_endpoint_circuit k set probe_at = clock_timestamp() + ${probeMs} * interval '1 millisecond'
    where k.endpoint_id in (select endpoint_id from ${sql.raw(claimed)})
  `;
}

type ClaimedRow = Omit<ClaimedDelivery, 'endpoint'> & SeenEndpoint;

type LaneRow = Pick<ClaimedLane, 'laneId' | 'laneEpoch' | 'wakeCount'> & {
  laneTenantId: string;
  laneEndpointId: string;
} & (ClaimedRow | { deliveryId: null });

function hasDelivery(row: LaneRow): row is LaneRow & ClaimedRow {
  return row.deliveryId !== null;
}

function gather(
  rows: readonly LaneRow[],
  endpoints: ReadonlyMap<string, EndpointSettings>,
  deliveriesPerLane: number,
): ClaimedLane[] {
  const lanes = new Map<string, ClaimedLane>();
  for (const { laneId, laneEpoch, wakeCount, laneTenantId, laneEndpointId, ...delivery } of rows) {
    const lane = lanes.get(laneId) ?? {
      laneId,
      laneEpoch,
      wakeCount,
      tenantId: laneTenantId,
      endpointId: laneEndpointId,
      deliveries: [],
      isCut: false,
    };
    lanes.set(laneId, lane);
    if (delivery.deliveryId !== null) {
      lane.deliveries.push(Object.assign(delivery, { endpoint: endpoints.get(delivery.endpointId)! }));
      lane.isCut = lane.deliveries.length === deliveriesPerLane;
    }
  }
  return [...lanes.values()];
}
