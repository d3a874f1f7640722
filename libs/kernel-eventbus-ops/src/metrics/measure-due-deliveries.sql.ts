import { sql, type Kysely } from 'kysely';
import { deliveryQueues, isQueued } from '@kernel/eventbus/engine';
import { COUNT_CAP } from './capped-count.js';
import type { Waiting } from './measure-pending-events.sql.js';

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
