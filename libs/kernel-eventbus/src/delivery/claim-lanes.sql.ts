import { sql, type Kysely } from 'kysely';
import { isOpenLane } from '../lanes/lane-queues.sql.js';
import { columnsOf } from '../runtime/array-literal.js';
import { claimQueues } from './claim-queues.js';
import type { Claim } from './claim.js';
import type { QueueSource } from './due-queues.sql.js';
import { leaseLanes, type ClaimedLane } from './lease-lanes.sql.js';
import type { QueueShare } from './share-out.js';

/** Deliveries fetched with a lane: what one worker sends before the lane is open to all again. */
const LANE_BATCH = 10;

const SOURCES: readonly QueueSource[] = [
  {
    kind: 'lane',
    table: 'kernel_lane',
    isWaiting: isOpenLane('x'),
    dueColumn: 'ready_at',
    isTimed: sql.raw('x.wake_count >= 0'),
  },
];

/** Claims lanes by readiness, never the rows behind a lane. */
export function claimLanes(db: Kysely<unknown>, claim: Claim): Promise<ClaimedLane[]> {
  return claimQueues(db, SOURCES, claim, (shares) => leaseLanes(db, fittingOf(shares, claim), claim, LANE_BATCH));
}

function fittingOf(shares: readonly QueueShare[], { limit, takesExpired = true }: Claim) {
  const { plain } = columnsOf(shares);
  return sql`
    fitting as (
      select l.lane_id
      from unnest(${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[], ${plain('count')}::int[])
        as share (tenant_id, endpoint_id, count)
      cross join lateral (
        select lane_id from kernel_lane l
        where l.tenant_id = share.tenant_id and l.endpoint_id = share.endpoint_id
          and ${isOpenLane('l')} and l.ready_at <= now()
          and (l.lease_until is null or (${takesExpired} and l.lease_until <= now()))
        order by l.ready_at
        limit share.count
        for update skip locked
      ) l
      limit ${limit}
    )
  `;
}
