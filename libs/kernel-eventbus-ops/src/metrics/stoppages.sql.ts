import { sql, type Kysely } from 'kysely';
import { isAwaited } from '@kernel/eventbus/engine';
import { COUNT_CAP } from './capped-count.js';

export interface Stoppages {
  blockedLanes: number;
  oldestBlockedSeconds: number;
  openCircuits: number;
  oldestCircuitSeconds: number;
  workersAlive: number;
}

/** Blocked lanes, open circuits and live workers. */
export async function measureStoppages(db: Kysely<unknown>, silentMs: number): Promise<Stoppages> {
  const { rows } = await sql<Stoppages>`
    select lane.*, circuit.*, (
      select count(*)::int from kernel_worker where heartbeat_at > now() - ${silentMs} * interval '1 millisecond'
    ) as "workersAlive"
    from (
      select count(*)::int as "blockedLanes",
        coalesce(extract(epoch from now() - min(blocked_at)), 0)::float8 as "oldestBlockedSeconds"
      from (select blocked_at from kernel_lane where blocked_by is not null limit ${COUNT_CAP}) blocked
    ) lane, (
      select count(*)::int as "openCircuits",
        coalesce(extract(epoch from now() - min(opened_at)), 0)::float8 as "oldestCircuitSeconds"
      from kernel_endpoint_circuit k where ${isAwaited('k')}
    ) circuit
  `.execute(db);
  return rows[0]!;
}

export interface OpenCircuit {
  tenantId: string;
  endpointId: string;
}

/** Longest open first. */
export async function listOpenCircuits(db: Kysely<unknown>, limit: number): Promise<OpenCircuit[]> {
  const { rows } = await sql<OpenCircuit>`
    select tenant_id as "tenantId", endpoint_id as "endpointId"
    from kernel_endpoint_circuit k where ${isAwaited('k')} order by opened_at limit ${limit}
  `.execute(db);
  return rows;
}

export interface DeadLetters {
  counted: number;
  estimate: number;
  oldestSeconds: number;
}

/**
 * Excludes dead letters of deleted endpoints, which can never be replayed, unless the count is estimated. The oldest of
 * each tenant is the first in its index, because delivery ids are ordered by time.
 */
export async function measureDeadLetters(db: Kysely<unknown>): Promise<DeadLetters> {
  const { rows } = await sql<DeadLetters>`
    with recursive tenant as (
      (select tenant_id from kernel_webhook_delivery where status = 'DLQ' order by tenant_id limit 1)
      union all
      select (
        select d.tenant_id from kernel_webhook_delivery d
        where d.status = 'DLQ' and d.tenant_id > t.tenant_id order by d.tenant_id limit 1
      )
      from tenant t where t.tenant_id is not null
    )
    select (
        select case when count(*) > ${COUNT_CAP} then count(*) else count(*) filter (where p.deleted_at is null) end::int
        from (
          select endpoint_id from kernel_webhook_delivery where status = 'DLQ' limit ${COUNT_CAP + 1}
        ) seen
        left join kernel_webhook_endpoint p on p.endpoint_id = seen.endpoint_id
      ) as counted,
      (
        select greatest(reltuples, 0)::float8 from pg_class where oid = 'kernel_webhook_delivery_dead_idx'::regclass
      ) as estimate,
      coalesce(extract(epoch from now() - min(first.settled_at)), 0)::float8 as "oldestSeconds"
    from tenant
    cross join lateral (
      select d.settled_at from kernel_webhook_delivery d
      where d.status = 'DLQ' and d.tenant_id = tenant.tenant_id order by d.delivery_id limit 1
    ) first
  `.execute(db);
  return rows[0]!;
}
