import { sql, type Kysely } from 'kysely';
import { columnsOf, plainArray } from '@kernel/runtime';
import type { ActivityCounts } from './activity-counts.js';
import { ALL, type ActivityScope } from './activity-scope.js';
import type { ActivitySum } from './activity-sums.js';
import { STORED_STEPS } from './stored-steps.js';

/**
 * Adds to the sums of other processes for the same time steps, by the database's clock. Locks rows in key order, which
 * avoids deadlocks between processes.
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

export interface StoredActivity extends ActivityCounts {
  startsAtMs: number;
}

/** A scope with an endpoint also needs its tenant: the key starts with the tenant. */
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

export interface EndpointActivity {
  endpointId: string;
  /** Null if the endpoint had no activity, as are the counts. */
  startsAtMs: number | null;
  delivered: number | null;
  failedAttempts: number | null;
}

export interface HealthQuery {
  tenantId?: string;
  stepSeconds: number;
  fromMs: number;
  endpoints: number;
}

/** Activity of the newest endpoints, one key range each. */
export async function readHealth(db: Kysely<unknown>, query: HealthQuery): Promise<EndpointActivity[]> {
  const ofTenant = query.tenantId === undefined ? sql`` : sql`and tenant_id = ${query.tenantId}::uuid`;
  const { rows } = await sql<EndpointActivity>`
    select p.endpoint_id as "endpointId", (extract(epoch from a.starts_at) * 1000)::float8 as "startsAtMs",
      a.delivered::float8 as delivered, a.failed_attempts::float8 as "failedAttempts"
    from (
      select tenant_id, endpoint_id from kernel_webhook_endpoint
      where deleted_at is null and dispatcher is distinct from 'handler' ${ofTenant}
      order by endpoint_id desc limit ${query.endpoints}
    ) p
    left join kernel_activity a on a.tenant_id = p.tenant_id and a.endpoint_id = p.endpoint_id
      and a.step_seconds = ${query.stepSeconds}::int and a.starts_at >= to_timestamp(${query.fromMs}::float8 / 1000)
    order by p.endpoint_id desc, a.starts_at
  `.execute(db);
  return rows;
}

/** Removes one batch of steps older than `keptHours`. Returns the number of removed rows. */
export async function pruneActivity(
  db: Kysely<unknown>,
  { seconds, keptHours }: { seconds: number; keptHours: number },
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    with expired as (
      select ctid from kernel_activity
      where step_seconds = ${seconds}::int and starts_at < now() - ${keptHours}::int * interval '1 hour'
      order by starts_at
      limit ${limit}
      for update skip locked
    )
    delete from kernel_activity where ctid = any(array(select ctid from expired)) returning 1
  `.execute(db);
  return rows.length;
}

/** The database's clock, which defines the time steps of activity, in milliseconds since 1970. */
export async function readNow(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ nowMs: number }>`
    select (extract(epoch from now()) * 1000)::float8 as "nowMs"
  `.execute(db);
  return rows[0]!.nowMs;
}
