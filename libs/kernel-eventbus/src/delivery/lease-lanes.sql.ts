import { sql, type Kysely, type RawBuilder } from 'kysely';
import { inHotTransaction, PLANNED_EACH_TIME } from '../runtime/hot-transaction.js';
import { executePrepared } from '../runtime/prepared.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DELIVERY_COLUMNS, DELIVERY_EVENT } from './delivery-columns.sql.js';

/** A lane that this worker holds, with the next deliveries in it, in order. */
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

/**
 * Leases the lanes that `fitting` names (a query of lane ids whose rows it locked) and the next deliveries of each.
 * `seen` reads a lane as old as the statement reads the deliveries: an event that was routed in between is not among them,
 * and the older wake count tells so when the lane is let go.
 */
export async function leaseLanes(
  db: Kysely<unknown>,
  fitting: RawBuilder<unknown>,
  { leaseMs, workerId, probeMs }: Pick<Claim, 'leaseMs' | 'workerId' | 'probeMs'>,
  deliveriesPerLane: number,
): Promise<ClaimedLane[]> {
  const statement = sql<LaneRow>`
    with recursive ${fitting}, lane as (
      update kernel_lane l
      set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        lease_epoch = l.lease_epoch + 1, leased_by = ${workerId}
      from fitting where l.lane_id = fitting.lane_id
      returning l.*
    ), probed as (
      update kernel_endpoint_circuit k set probe_at = clock_timestamp() + ${probeMs} * interval '1 millisecond'
      where k.endpoint_id in (select endpoint_id from lane)
    ), next as (
      select d.delivery_id
      from lane
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.lane_id = lane.lane_id and d.status in ('PENDING', 'FAILED')
        order by d.stream_sequence
        limit ${deliveriesPerLane}
      ) d
    ), c as (
      update kernel_webhook_delivery d
      set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        lease_epoch = d.lease_epoch + 1, leased_by = ${workerId}
      from next where d.delivery_id = next.delivery_id and d.status in ('PENDING', 'FAILED')
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
  const rows = await inHotTransaction(db, (trx) => executePrepared(trx, statement), PLANNED_EACH_TIME);
  return gather(rows, deliveriesPerLane);
}

type LaneRow = Pick<ClaimedLane, 'laneId' | 'laneEpoch' | 'wakeCount'> & {
  laneTenantId: string;
  laneEndpointId: string;
} & (ClaimedDelivery | { deliveryId: null });

function gather(rows: readonly LaneRow[], deliveriesPerLane: number): ClaimedLane[] {
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
      lane.deliveries.push(delivery);
      lane.isCut = lane.deliveries.length === deliveriesPerLane;
    }
  }
  return [...lanes.values()];
}
