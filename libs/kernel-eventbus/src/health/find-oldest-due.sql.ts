import { sql, type Kysely } from 'kysely';
import { deliveryQueues, isQueued } from '../delivery/delivery-queues.sql.js';
import { isOpenLane, laneQueues } from '../lanes/lane-queues.sql.js';

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
    with recursive ${deliveryQueues('delivery_queue')}, ${laneQueues('lane_queue')}, oldest_delivery as (
      select min(head.next_attempt_at) as due_at
      from delivery_queue q
      cross join (values ('PENDING'), ('FAILED')) as s (status)
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = s.status
          and ${isQueued('d')}
        order by d.next_attempt_at limit 1
      ) head
      where not exists (select from kernel_endpoint_circuit k where k.endpoint_id = q.endpoint_id)
    ), oldest_lane as (
      select min(head.ready_at) as due_at
      from lane_queue q
      cross join lateral (
        select l.ready_at from kernel_lane l
        where l.tenant_id = q.tenant_id and l.endpoint_id = q.endpoint_id
          and ${isOpenLane('l')}
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
