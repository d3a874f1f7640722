import { sql, type Kysely } from 'kysely';
import { isOpenLane } from '../lanes/lane-queues.sql.js';
import { COUNT_CAP } from './capped-count.js';
import type { WaitingForEndpoint } from './measure-due-deliveries.sql.js';

/** Lanes whose head is due. A lane is one row however much waits in it, so that they are few. */
export async function measureReadyLanes(db: Kysely<unknown>): Promise<WaitingForEndpoint[]> {
  const { rows } = await sql<WaitingForEndpoint>`
    select circuit.is_open as "isCircuitOpen", count(ready.ready_at)::int as counted, 0::float8 as estimate,
      coalesce(extract(epoch from now() - min(ready.ready_at)), 0)::float8 as "oldestSeconds",
      coalesce(extract(epoch from avg(now() - ready.ready_at)), 0)::float8 as "averageSeconds"
    from (values (false), (true)) as circuit (is_open)
    left join lateral (
      select l.ready_at
      from kernel_lane l left join kernel_endpoint_circuit k on k.endpoint_id = l.endpoint_id
      where ${isOpenLane('l')}
        and l.ready_at <= now() and (k.endpoint_id is not null) = circuit.is_open
      limit ${COUNT_CAP + 1}
    ) ready on true
    group by circuit.is_open
  `.execute(db);
  return rows;
}
