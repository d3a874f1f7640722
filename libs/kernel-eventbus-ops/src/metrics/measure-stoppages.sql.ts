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
