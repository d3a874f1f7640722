import { sql, type Kysely } from 'kysely';
import { laneQueues } from '../lanes/lane-queues.sql.js';
import type { Claim } from './claim.js';
import { leaseLanes, type ClaimedLane } from './lease-lanes.sql.js';

/** Deliveries fetched with a lane: what one worker sends before the lane is open to all again. */
const LANE_BATCH = 10;

/** Claims lanes by readiness, endpoint by endpoint, tenants taking turns; never the rows behind a lane. */
export async function claimLanes(db: Kysely<unknown>, claim: Claim): Promise<ClaimedLane[]> {
  const fitting = sql`
    ${laneQueues('queue')}, turn as (
      select q.tenant_id, q.endpoint_id,
        least(
          coalesce(p.max_in_flight, ${claim.perEndpoint}) * ${claim.prefetch} - coalesce(held.count, 0),
          case when k.endpoint_id is null then ${claim.limit} else (k.probe_at <= now())::int end,
          ceil(${claim.limit}::numeric / count(*) over (partition by q.tenant_id)
            / (dense_rank() over (order by q.tenant_id) + dense_rank() over (order by q.tenant_id desc) - 1))
        ) as room
      from queue q
      join kernel_webhook_endpoint p on p.endpoint_id = q.endpoint_id
      left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
      left join unnest(${claim.held.endpointIds}::uuid[], ${claim.held.counts}::int[]) as held (endpoint_id, count)
        on held.endpoint_id = q.endpoint_id
    ), fitting as (
      select l.lane_id
      from turn
      cross join lateral (
        select lane_id from kernel_lane l
        where l.tenant_id = turn.tenant_id and l.endpoint_id = turn.endpoint_id
          and l.ready_at <= now() and l.blocked_by is null and not l.is_parked and not l.is_suspect
          and (l.lease_until is null or l.lease_until <= now())
        order by l.ready_at
        limit greatest(turn.room, 0)
        for update skip locked
      ) l
      limit ${claim.limit}
    )
  `;
  return leaseLanes(db, fitting, claim, LANE_BATCH);
}
