import { sql, type Kysely } from 'kysely';
import type { ActivityCounts } from './activity-counts.js';
import { ALL, type ActivityScope } from './activity-scope.js';

export interface StoredActivity extends ActivityCounts {
  startsAtMs: number;
}

/** Needs the tenant of an endpoint that is named: rows are found by both. */
export async function readActivity(
  db: Kysely<unknown>,
  { tenantId = ALL, endpointId = ALL }: ActivityScope,
  { stepSeconds, fromMs }: { stepSeconds: number; fromMs: number },
): Promise<StoredActivity[]> {
  const { rows } = await sql<StoredActivity>`
    select (extract(epoch from starts_at) * 1000)::float8 as "startsAtMs", published::float8 as published,
      delivered::float8 as delivered, failed_attempts::float8 as "failedAttempts",
      dead_lettered::float8 as "deadLettered", latency_counts as "latencyCounts"
    from kernel_activity
    where tenant_id = ${tenantId}::uuid and endpoint_id = ${endpointId}::uuid and step_seconds = ${stepSeconds}::int
      and starts_at >= to_timestamp(${fromMs}::float8 / 1000)
    order by starts_at
  `.execute(db);
  return rows;
}
