import { sql, type Kysely } from 'kysely';
import { deliveryQueues, isQueued } from './delivery-queues.sql.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { leaseDeliveries } from './lease-deliveries.sql.js';

/**
 * Claims deliveries that need no order. It walks from endpoint to endpoint through the hot index (each step one descent,
 * however long the backlog in between), gives every tenant with due work an equal share, keeps to the endpoints' limits,
 * lets one probe through where a circuit is open, and takes three first attempts for one retry, so that neither starves.
 * What is due is compared with now(), which an index can use, and not with clock_timestamp(), which it cannot.
 */
export async function claimDeliveries(db: Kysely<unknown>, claim: Claim): Promise<ClaimedDelivery[]> {
  const due = sql`
    ${deliveryQueues('queue')}, open_queue as (
      select q.tenant_id, q.endpoint_id, least(
          coalesce(p.max_in_flight, ${claim.perEndpoint}) * ${claim.prefetch} - coalesce(held.count, 0),
          case when k.endpoint_id is null then ${claim.limit} else (k.probe_at <= now())::int end
        ) as room
      from queue q
      join kernel_webhook_endpoint p on p.endpoint_id = q.endpoint_id
      left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
      left join unnest(${claim.held.endpointIds}::uuid[], ${claim.held.counts}::int[]) as held (endpoint_id, count)
        on held.endpoint_id = q.endpoint_id
    ), due_queue as (
      select q.*, s.status
      from open_queue q
      cross join (values ('PENDING'), ('FAILED')) as s (status)
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = s.status
          and ${isQueued('d')}
        order by d.next_attempt_at limit 1
      ) head
      where q.room > 0 and head.next_attempt_at <= now()
    ), turn as (
      select *, ceil(${claim.limit}::numeric / count(*) over (partition by tenant_id, status)
        / (dense_rank() over (order by tenant_id) + dense_rank() over (order by tenant_id desc) - 1)) as share
      from due_queue
    ), due as (
      select d.delivery_id
      from turn
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.tenant_id = turn.tenant_id and d.endpoint_id = turn.endpoint_id and d.status = turn.status
          and ${isQueued('d')}
          and d.next_attempt_at <= now()
          and (d.lease_until is null or d.lease_until <= now())
        order by d.next_attempt_at
        limit ceil(least(turn.share, turn.room) * case turn.status when 'PENDING' then 0.75 else 0.25 end)
        for update skip locked
      ) d
      limit ${claim.limit}
    )
  `;
  return leaseDeliveries(db, due, claim);
}
