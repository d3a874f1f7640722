import { sql, type Kysely } from 'kysely';
import { COUNT_CAP } from './capped-count.js';

/** Number of events in the outbox's default partition. */
export async function measureDefaultPartition(db: Kysely<unknown>): Promise<{ counted: number; estimate: number }> {
  const { rows } = await sql<{ counted: number; estimate: number }>`
    select (
        select count(*)::int from (select from kernel_outbox_event_default limit ${COUNT_CAP + 1}) seen
      ) as counted,
      (
        select greatest(reltuples, 0)::float8 from pg_class where oid = 'kernel_outbox_event_default'::regclass
      ) as estimate
  `.execute(db);
  return rows[0]!;
}
