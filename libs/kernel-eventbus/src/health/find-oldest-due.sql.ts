import { sql, type Kysely } from 'kysely';

/** How long the oldest of each has been due, in milliseconds; 0 when nothing is. */
export interface OldestDue {
  events: number;
  deliveries: number;
  lanes: number;
}

/**
 * Walks from endpoint to endpoint through the hot indexes, as claims do: each step is one descent, however long the backlog in
 * between. Where a circuit is open, what waits is left out: that the endpoint is dead is known, and says nothing of us.
 */
export async function findOldestDue(db: Kysely<unknown>): Promise<OldestDue> {
  const { rows } = await sql<OldestDue>`
    with recursive delivery_queue as (
      (
        select tenant_id, endpoint_id from kernel_webhook_delivery
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null and not is_suspect
        order by tenant_id, endpoint_id limit 1
      )
      union all
      select next.tenant_id, next.endpoint_id
      from delivery_queue q
      cross join lateral (
        select d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where d.status in ('PENDING', 'FAILED') and not d.is_parked and d.lane_id is null and not d.is_suspect
          and (d.tenant_id, d.endpoint_id) > (q.tenant_id, q.endpoint_id)
        order by d.tenant_id, d.endpoint_id limit 1
      ) next
    ), lane_queue as (
      (
        select tenant_id, endpoint_id from kernel_lane
        where ready_at is not null and blocked_by is null and not is_parked and not is_suspect
        order by tenant_id, endpoint_id limit 1
      )
      union all
      select next.tenant_id, next.endpoint_id
      from lane_queue q
      cross join lateral (
        select l.tenant_id, l.endpoint_id from kernel_lane l
        where l.ready_at is not null and l.blocked_by is null and not l.is_parked and not l.is_suspect
          and (l.tenant_id, l.endpoint_id) > (q.tenant_id, q.endpoint_id)
        order by l.tenant_id, l.endpoint_id limit 1
      ) next
    ), oldest_delivery as (
      select min(head.next_attempt_at) as due_at
      from delivery_queue q
      cross join (values ('PENDING'), ('FAILED')) as s (status)
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = s.status
          and d.status in ('PENDING', 'FAILED') and not d.is_parked and d.lane_id is null and not d.is_suspect
        order by d.next_attempt_at limit 1
      ) head
      where not exists (select from kernel_endpoint_circuit k where k.endpoint_id = q.endpoint_id)
    ), oldest_lane as (
      select min(head.ready_at) as due_at
      from lane_queue q
      cross join lateral (
        select l.ready_at from kernel_lane l
        where l.tenant_id = q.tenant_id and l.endpoint_id = q.endpoint_id
          and l.ready_at is not null and l.blocked_by is null and not l.is_parked and not l.is_suspect
        order by l.ready_at limit 1
      ) head
      where not exists (select from kernel_endpoint_circuit k where k.endpoint_id = q.endpoint_id)
    ), oldest_event as (
      select created_at as due_at from kernel_outbox_event where status = 'PENDING' order by created_at limit 1
    )
    select ${ageOf('oldest_event')} as events, ${ageOf('oldest_delivery')} as deliveries, ${ageOf('oldest_lane')} as lanes
  `.execute(db);
  return rows[0]!;
}

function ageOf(oldest: string) {
  return sql`coalesce(
    (select greatest(round(extract(epoch from clock_timestamp() - due_at) * 1000), 0) from ${sql.id(oldest)}), 0
  )::float8`;
}
