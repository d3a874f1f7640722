import { sql, type Kysely } from 'kysely';
import {
  isOpen,
  deliveryQueues,
  isOpenLane,
  isQueued,
  isSuspectDelivery,
  isSuspectLane,
  laneQueues,
} from '@kernel/eventbus/engine';

/** `suspect`: deliveries that were in flight when a worker crashed, with or without a lane. */
export type Stage = 'routing' | 'delivery' | 'lane' | 'suspect';

export interface OldestDue {
  stage: Stage;
  /** True if the endpoints' circuits are open, which explains the wait. */
  isCircuitOpen: boolean;
  /** Age of the oldest due item. */
  seconds: number;
}

/** Lanes inspected per endpoint, longest ready first; each costs one more index descent. */
const LANES_SEEN = 200;

/**
 * One row per stage that has due work. Walks from endpoint to endpoint through the hot indexes, as claims do: each step
 * is one index descent, however long the backlog.
 *
 * A lane's `ready_at` is reset after every few deliveries, so it stays recent however long the lane is. The lane's age
 * is therefore that of its head.
 */
export async function findOldestDue(db: Kysely<unknown>): Promise<OldestDue[]> {
  const { rows } = await sql<OldestDue>`
    with recursive ${deliveryQueues('delivery_queue')}, ${laneQueues('lane_queue')}, head as (
      (
        select 'routing' as stage, false as is_open, created_at as due_at
        from kernel_outbox_event where status = 'PENDING' order by created_at limit 1
      )
      union all
      select 'delivery', k.endpoint_id is not null, first.next_attempt_at
      from delivery_queue q
      left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = q.status and ${isQueued('d')}
        order by d.next_attempt_at limit 1
      ) first
      union all
      select 'lane', k.endpoint_id is not null, first.next_attempt_at
      from lane_queue q
      left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
      cross join lateral (
        select l.lane_id from kernel_lane l
        where l.tenant_id = q.tenant_id and l.endpoint_id = q.endpoint_id and ${isOpenLane('l')} and l.ready_at <= now()
        order by l.ready_at limit ${LANES_SEEN}
      ) lane
      cross join lateral ${HEAD_OF_LANE} first
      union all
      (
        select 'suspect', false, d.next_attempt_at from kernel_webhook_delivery d
        where ${isSuspectDelivery('d')} order by d.next_attempt_at limit 1
      )
      union all
      select 'suspect', false, first.next_attempt_at
      from (
        select l.lane_id from kernel_lane l
        where ${isSuspectLane('l')} and l.ready_at <= now() order by l.ready_at limit ${LANES_SEEN}
      ) lane
      cross join lateral ${HEAD_OF_LANE} first
    )
    select stage, is_open as "isCircuitOpen", extract(epoch from now() - min(due_at))::float8 as seconds
    from head where due_at <= now() group by stage, is_open
  `.execute(db);
  return rows;
}

const HEAD_OF_LANE = sql`(
  select d.next_attempt_at from kernel_webhook_delivery d
  where d.lane_id = lane.lane_id and ${isOpen('d')}
  order by d.stream_sequence limit 1
)`;
