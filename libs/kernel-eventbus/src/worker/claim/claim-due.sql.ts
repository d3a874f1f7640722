import { sql, type Kysely } from 'kysely';
import { claimDueDeliveries, claimDueLanes, type ClaimedLane } from '../../deliveries/claims.sql.js';
import { isOpenLane, isQueued } from '../../deliveries/queues.sql.js';
import { claimQueues } from './claim-queues.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from '../../deliveries/claimed-delivery.js';
import type { QueueSource } from './due-queues.sql.js';

const DELIVERY_SOURCES: readonly QueueSource[] = (['PENDING', 'FAILED'] as const).map((kind) => ({
  kind,
  table: 'kernel_webhook_delivery',
  isWaiting: sql`x.status = ${sql.lit(kind)} and ${isQueued('x')}`,
  dueColumn: 'next_attempt_at',
  // First attempts are due at once; only retries have a time.
  ...(kind === 'FAILED' && { isTimed: sql.raw('x.attempts >= 0') }),
}));

const LANE_SOURCES: readonly QueueSource[] = [
  {
    kind: 'lane',
    table: 'kernel_lane',
    isWaiting: isOpenLane('x'),
    dueColumn: 'ready_at',
    isTimed: sql.raw('x.wake_count >= 0'),
  },
];

/** Claims deliveries outside of lanes. Of an endpoint that has both, it takes three first attempts for one retry. */
export function claimDeliveries(db: Kysely<unknown>, claim: Claim): Promise<ClaimedDelivery[]> {
  return claimQueues(db, DELIVERY_SOURCES, claim, (shares) => claimDueDeliveries(db, shares, claim));
}

export function claimLanes(db: Kysely<unknown>, claim: Claim): Promise<ClaimedLane[]> {
  return claimQueues(db, LANE_SOURCES, claim, (shares) => claimDueLanes(db, shares, claim));
}
