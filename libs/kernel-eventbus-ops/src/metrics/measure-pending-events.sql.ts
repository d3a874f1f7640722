import { sql, type Kysely } from 'kysely';
import { COUNT_CAP } from './capped-count.js';

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
