import { sql, type Kysely } from 'kysely';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DELIVERY_COLUMNS } from './delivery-columns.sql.js';

/** A lane that this worker holds, with the next deliveries in it, in order. */
export interface ClaimedLane {
  laneId: string;
  laneEpoch: number;
  wakeCount: number;
  endpointId: string;
  deliveries: ClaimedDelivery[];
}

/** Deliveries fetched with a lane: what one worker sends before the lane is open to all again. */
export const LANE_BATCH = 10;

/**
 * Claims lanes by readiness, tenants taking turns, and leases the next deliveries of each; never the rows behind them.
 * `seen` reads the lane as old as the statement reads the deliveries: an event that was routed in between is not among
 * them, and the older wake count tells so when the lane is let go.
 */
export async function claimLanes(db: Kysely<unknown>, claim: Claim): Promise<ClaimedLane[]> {
  const { rows } = await sql<LaneRow>`
    with recursive tenant as (
      (
        select tenant_id from kernel_lane
        where ready_at is not null and blocked_by is null and not is_parked order by tenant_id limit 1
      )
      union all
      select (
        select l.tenant_id from kernel_lane l
        where l.ready_at is not null and l.blocked_by is null and not l.is_parked and l.tenant_id > t.tenant_id
        order by l.tenant_id limit 1
      )
      from tenant t where t.tenant_id is not null
    ), turn as (
      select tenant_id, ceil(${claim.limit}::numeric / count(*) over ()) as share
      from tenant where tenant_id is not null
    ), ready as (
      select l.*
      from turn
      cross join lateral (
        select lane_id, endpoint_id, ready_at from kernel_lane l
        where l.tenant_id = turn.tenant_id and l.ready_at <= clock_timestamp() and l.blocked_by is null
          and not l.is_parked and (l.lease_until is null or l.lease_until <= clock_timestamp())
        order by l.ready_at
        limit turn.share
        for update skip locked
      ) l
      limit ${claim.limit}
    ), fitting as (
      select r.lane_id
      from (select *, row_number() over (partition by endpoint_id order by ready_at) as place from ready) r
      join kernel_webhook_endpoint p on p.endpoint_id = r.endpoint_id
      left join unnest(${claim.held.endpointIds}::uuid[], ${claim.held.counts}::int[]) as held (endpoint_id, count)
        on held.endpoint_id = r.endpoint_id
      where r.place <= coalesce(p.max_in_flight, ${claim.perEndpoint}) - coalesce(held.count, 0)
    ), lane as (
      update kernel_lane l
      set lease_until = clock_timestamp() + ${claim.leaseMs} * interval '1 millisecond',
        lease_epoch = l.lease_epoch + 1, leased_by = ${claim.workerId}
      from fitting where l.lane_id = fitting.lane_id
      returning l.*
    ), next as (
      select d.delivery_id
      from lane
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.lane_id = lane.lane_id and d.status in ('PENDING', 'FAILED')
        order by d.stream_sequence
        limit ${LANE_BATCH}
      ) d
    ), c as (
      update kernel_webhook_delivery d
      set lease_until = clock_timestamp() + ${claim.leaseMs} * interval '1 millisecond',
        lease_epoch = d.lease_epoch + 1, leased_by = ${claim.workerId}
      from next where d.delivery_id = next.delivery_id and d.status in ('PENDING', 'FAILED')
      returning d.*
    )
    select lane.lane_id as "laneId", lane.lease_epoch as "laneEpoch", seen.wake_count as "wakeCount",
      lane.endpoint_id as "laneEndpointId", ${DELIVERY_COLUMNS}
    from lane
    join kernel_lane seen on seen.lane_id = lane.lane_id
    left join c on c.lane_id = lane.lane_id
    left join kernel_outbox_event e on e.event_id = c.event_id
    left join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    order by lane.ready_at, lane.lane_id, c.stream_sequence
  `.execute(db);
  return gather(rows);
}

type LaneRow = Omit<ClaimedLane, 'deliveries' | 'endpointId'> & {
  laneEndpointId: string;
} & (ClaimedDelivery | { deliveryId: null });

function gather(rows: readonly LaneRow[]): ClaimedLane[] {
  const lanes = new Map<string, ClaimedLane>();
  for (const { laneId, laneEpoch, wakeCount, laneEndpointId, ...delivery } of rows) {
    const lane = lanes.get(laneId) ?? { laneId, laneEpoch, wakeCount, endpointId: laneEndpointId, deliveries: [] };
    lanes.set(laneId, lane);
    if (delivery.deliveryId !== null) {
      lane.deliveries.push(delivery as ClaimedDelivery);
    }
  }
  return [...lanes.values()];
}
