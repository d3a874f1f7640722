import { sql, type Kysely } from 'kysely';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DELIVERY_COLUMNS } from './delivery-columns.sql.js';

/**
 * One statement claims a batch of deliveries that need no order. It walks from endpoint to endpoint through the hot index
 * (each step one descent, however long the backlog in between), gives every tenant with due work an equal share, keeps to
 * the endpoints' limits, and takes three first attempts for one retry, so that neither starves.
 */
export async function claimDeliveries(db: Kysely<unknown>, claim: Claim): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive queue as (
      (
        select tenant_id, endpoint_id from kernel_webhook_delivery
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null
        order by tenant_id, endpoint_id limit 1
      )
      union all
      select next.tenant_id, next.endpoint_id
      from queue q
      cross join lateral (
        select d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where d.status in ('PENDING', 'FAILED') and not d.is_parked and d.lane_id is null
          and (d.tenant_id, d.endpoint_id) > (q.tenant_id, q.endpoint_id)
        order by d.tenant_id, d.endpoint_id limit 1
      ) next
    ), due_queue as (
      select q.tenant_id, q.endpoint_id, status.status,
        coalesce(p.max_in_flight, ${claim.perEndpoint}) - coalesce(held.count, 0) as room
      from queue q
      join kernel_webhook_endpoint p on p.endpoint_id = q.endpoint_id
      left join unnest(${claim.held.endpointIds}::uuid[], ${claim.held.counts}::int[]) as held (endpoint_id, count)
        on held.endpoint_id = q.endpoint_id
      cross join (values ('PENDING'), ('FAILED')) as status (status)
      where exists (
        select from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = status.status
          and d.status in ('PENDING', 'FAILED') and not d.is_parked and d.lane_id is null
          and d.next_attempt_at <= clock_timestamp()
      )
    ), turn as (
      select *,
        ceil(${claim.limit}::numeric / (dense_rank() over (order by tenant_id) + dense_rank() over (order by tenant_id desc) - 1)
          / count(*) over (partition by tenant_id, status)) as share
      from due_queue where room > 0
    ), due as (
      select d.delivery_id
      from turn
      cross join lateral (
        select delivery_id from kernel_webhook_delivery d
        where d.tenant_id = turn.tenant_id and d.endpoint_id = turn.endpoint_id and d.status = turn.status
          and d.status in ('PENDING', 'FAILED') and not d.is_parked and d.lane_id is null
          and d.next_attempt_at <= clock_timestamp()
          and (d.lease_until is null or d.lease_until <= clock_timestamp())
        order by d.next_attempt_at
        limit ceil(least(turn.share, turn.room) * case turn.status when 'PENDING' then 0.75 else 0.25 end)
        for update skip locked
      ) d
      limit ${claim.limit}
    ), claimed as (
      update kernel_webhook_delivery d
      set lease_until = clock_timestamp() + ${claim.leaseMs} * interval '1 millisecond',
        lease_epoch = d.lease_epoch + 1, leased_by = ${claim.workerId}
      from due where d.delivery_id = due.delivery_id
      returning d.*
    )
    select ${DELIVERY_COLUMNS}
    from claimed c
    join kernel_outbox_event e on e.event_id = c.event_id
    join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    order by c.next_attempt_at
  `.execute(db);
  return rows;
}
