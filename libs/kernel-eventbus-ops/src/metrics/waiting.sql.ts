import { sql, type Kysely } from 'kysely';
import { COUNT_CAP } from './capped-count.js';
import {
  deliveryQueues,
  isQueued,
  isOpen,
  isOpenLane,
  laneQueues,
  isSuspectDelivery,
  isSuspectLane,
} from '@kernel/eventbus/engine';

export interface Waiting {
  /** At most one more than the cap. */
  counted: number;
  estimate: number;
  averageSeconds: number;
}

/** Events waiting to be routed. */
export async function measurePendingEvents(db: Kysely<unknown>): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    with seen as (
      select created_at from kernel_outbox_event where status = 'PENDING' limit ${COUNT_CAP + 1}
    )
    select count(*)::int as counted,
      (
        select coalesce(sum(c.reltuples), 0)::float8
        from pg_partition_tree('kernel_outbox_event_pending_idx') t join pg_class c on c.oid = t.relid
        where t.isleaf and c.reltuples > 0
      ) as estimate,
      coalesce(extract(epoch from avg(clock_timestamp() - created_at)), 0)::float8 as "averageSeconds"
    from seen
  `.execute(db);
  return rows[0]!;
}

export interface WaitingForEndpoint extends Waiting {
  /** True for deliveries to endpoints with an open circuit, which explains the wait. */
  isCircuitOpen: boolean;
}

/**
 * Due deliveries outside lanes, including those in flight. Walks from queue to queue like the claim, so deliveries that
 * are not due are never read.
 */
export async function measureDueDeliveries(db: Kysely<unknown>): Promise<WaitingForEndpoint[]> {
  const { rows } = await sql<WaitingForEndpoint>`
    with recursive ${deliveryQueues('queue')}, known as materialized (
      select q.tenant_id, q.endpoint_id, q.status, k.endpoint_id is not null as is_open
      from queue q
      left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
    )
    select circuit.is_open as "isCircuitOpen", due.counted,
      (
        select greatest(reltuples, 0)::float8 from pg_class where oid = 'kernel_webhook_delivery_due_idx'::regclass
      ) as estimate,
      due."averageSeconds"
    from (values (false), (true)) as circuit (is_open)
    cross join lateral (
      select count(*)::int as counted,
        coalesce(extract(epoch from avg(now() - seen.next_attempt_at)), 0)::float8 as "averageSeconds"
      from (
        select one.next_attempt_at
        from known
        cross join lateral (
          select d.next_attempt_at from kernel_webhook_delivery d
          where d.tenant_id = known.tenant_id and d.endpoint_id = known.endpoint_id and d.status = known.status
            and ${isQueued('d')}
            and d.next_attempt_at <= now()
        ) one
        where known.is_open = circuit.is_open
        limit ${COUNT_CAP + 1}
      ) seen
    ) due
  `.execute(db);
  return rows;
}

/**
 * Deliveries in lanes whose head is due; the others in the lane wait for it. Walks from endpoint to endpoint, so lanes
 * behind an open circuit do not use up the cap of the others.
 */
export async function measureDueInLanes(db: Kysely<unknown>): Promise<WaitingForEndpoint[]> {
  const { rows } = await sql<WaitingForEndpoint>`
    with recursive ${laneQueues('queue')}, known as materialized (
      select q.tenant_id, q.endpoint_id, k.endpoint_id is not null as is_open
      from queue q left join kernel_endpoint_circuit k on k.endpoint_id = q.endpoint_id
    )
    select circuit.is_open as "isCircuitOpen", due.counted,
      (
        select greatest(reltuples, 0)::float8 from pg_class where oid = 'kernel_webhook_delivery_lane_idx'::regclass
      ) as estimate,
      due."averageSeconds"
    from (values (false), (true)) as circuit (is_open)
    cross join lateral (
      select count(*)::int as counted,
        coalesce(extract(epoch from avg(greatest(now() - seen.next_attempt_at, interval '0'))), 0)::float8 as "averageSeconds"
      from (
        select one.next_attempt_at
        from known
        cross join lateral (
          select l.lane_id from kernel_lane l
          where l.tenant_id = known.tenant_id and l.endpoint_id = known.endpoint_id
            and ${isOpenLane('l')} and l.ready_at <= now()
        ) lane
        cross join lateral (
          select d.next_attempt_at from kernel_webhook_delivery d
          where d.lane_id = lane.lane_id and ${isOpen('d')}
        ) one
        where known.is_open = circuit.is_open
        limit ${COUNT_CAP + 1}
      ) seen
    ) due
  `.execute(db);
  return rows;
}

/**
 * Suspects, and deliveries behind one in its lane. They are few: at most the number that crashed workers had in flight.
 */
export async function measureSuspects(db: Kysely<unknown>): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::int as counted, 0::float8 as estimate,
      coalesce(extract(epoch from avg(greatest(now() - seen.next_attempt_at, interval '0'))), 0)::float8 as "averageSeconds"
    from (
      select d.next_attempt_at from kernel_webhook_delivery d
      where ${isSuspectDelivery('d')} and d.next_attempt_at <= now()
      union all
      select one.next_attempt_at
      from kernel_lane l
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.lane_id = l.lane_id and ${isOpen('d')}
      ) one
      where ${isSuspectLane('l')} and l.ready_at <= now()
      limit ${COUNT_CAP + 1}
    ) seen
  `.execute(db);
  return rows[0]!;
}
