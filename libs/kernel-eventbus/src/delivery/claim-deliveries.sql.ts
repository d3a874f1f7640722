import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import { claimQueues } from './claim-queues.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { isQueued } from './delivery-queues.sql.js';
import type { QueueSource } from './due-queues.sql.js';
import { leaseDeliveries } from './lease-deliveries.sql.js';
import type { QueueShare } from './share-out.js';

const SOURCES: readonly QueueSource[] = (['PENDING', 'FAILED'] as const).map((kind) => ({
  kind,
  table: 'kernel_webhook_delivery',
  isWaiting: sql`x.status = ${sql.lit(kind)} and ${isQueued('x')}`,
  dueColumn: 'next_attempt_at',
  // First attempts are due at once; only retries have a time.
  ...(kind === 'FAILED' && { isTimed: sql.raw('x.attempts >= 0') }),
}));

/** Claims deliveries that need no order. Of an endpoint that has both, it takes three first attempts for one retry. */
export function claimDeliveries(db: Kysely<unknown>, claim: Claim): Promise<ClaimedDelivery[]> {
  return claimQueues(db, SOURCES, claim, (shares) => leaseDeliveries(db, dueOf(shares, claim), claim));
}

/** What is due is compared with now(), which an index can use, and not with clock_timestamp(), which it cannot. */
function dueOf(shares: readonly QueueShare[], { limit, takesExpired = true }: Claim) {
  const { plain } = columnsOf(shares);
  return sql`
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
          and (d.lease_until is null or (${takesExpired} and d.lease_until <= now()))
        order by d.next_attempt_at
        limit share.count
        for update skip locked
      ) d
      limit ${limit}
    )
  `;
}
