import { sql, type Kysely } from 'kysely';
import { isOpen, isOpenLane, laneQueues } from '@kernel/eventbus/engine';
import { COUNT_CAP } from './capped-count.js';
import type { WaitingForEndpoint } from './measure-due-deliveries.sql.js';

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
