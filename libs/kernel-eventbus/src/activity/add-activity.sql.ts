import { sql, type Kysely } from 'kysely';
import { columnsOf, plainArray } from '../runtime/array-literal.js';
import { STORED_STEPS } from './stored-steps.js';
import type { ActivitySum } from './activity-sums.js';

/**
 * Adds to what other processes have added within the same steps of time, by the database's clock. Rows are locked in the order
 * of their key, so that no two processes wait for each other.
 */
export async function addActivity(db: Kysely<unknown>, sums: readonly ActivitySum[]): Promise<void> {
  const { plain, text } = columnsOf(sums.map((sum) => ({ ...sum, latencies: `{${sum.latencyCounts.join(',')}}` })));
  await sql`
    insert into kernel_activity as kept (
      tenant_id, endpoint_id, step_seconds, starts_at, published, delivered, failed_attempts, dead_lettered, latency_counts
    )
    select a.tenant_id, a.endpoint_id, s.seconds, to_timestamp(floor(extract(epoch from now()) / s.seconds) * s.seconds),
      a.published, a.delivered, a.failed_attempts, a.dead_lettered, a.latencies::int[]
    from unnest(
      ${plain('tenantId')}::uuid[], ${plain('endpointId')}::uuid[], ${plain('published')}::bigint[],
      ${plain('delivered')}::bigint[], ${plain('failedAttempts')}::bigint[], ${plain('deadLettered')}::bigint[],
      ${text('latencies')}::text[]
    ) as a (tenant_id, endpoint_id, published, delivered, failed_attempts, dead_lettered, latencies)
    cross join unnest(${plainArray(STORED_STEPS.map(({ seconds }) => seconds))}::int[]) as s (seconds)
    order by a.tenant_id, a.endpoint_id, s.seconds
    on conflict (tenant_id, endpoint_id, step_seconds, starts_at) do update set
      published = kept.published + excluded.published,
      delivered = kept.delivered + excluded.delivered,
      failed_attempts = kept.failed_attempts + excluded.failed_attempts,
      dead_lettered = kept.dead_lettered + excluded.dead_lettered,
      latency_counts = array(
        select coalesce(old, 0) + coalesce(new, 0)
        from unnest(kept.latency_counts, excluded.latency_counts) with ordinality as bucket (old, new, place)
        order by place
      )
  `.execute(db);
}
