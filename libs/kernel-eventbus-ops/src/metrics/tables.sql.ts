import { sql, type Kysely } from 'kysely';
import { COUNT_CAP } from './capped-count.js';

export interface TableHealth {
  table: string;
  deadTuples: number;
  xminAge: number;
}

const HOT_TABLES = [
  'kernel_outbox_event',
  'kernel_webhook_delivery',
  'kernel_ledger_entry',
  'kernel_lane',
  'kernel_stream',
];

/** From PostgreSQL's statistics, with partitions summed up. */
export async function readTableHealth(db: Kysely<unknown>): Promise<TableHealth[]> {
  const { rows } = await sql<TableHealth>`
    select hot.name as "table", sum(pg_stat_get_dead_tuples(c.oid))::float8 as "deadTuples",
      max(age(c.relfrozenxid))::float8 as "xminAge"
    from unnest(${HOT_TABLES}::text[]) as hot (name)
    cross join lateral (
      select hot.name::regclass as oid
      union
      select relid from pg_partition_tree(hot.name::regclass)
    ) member
    join pg_class c on c.oid = member.oid and c.relkind = 'r'
    group by 1
  `.execute(db);
  return rows;
}

/**
 * Age in transactions of the oldest snapshot: vacuum removes no row that it may still see. A snapshot taken after this
 * statement has a negative age.
 */
export async function readXminHorizon(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select greatest(max(age), 0)::float8 as age from (
      select age(backend_xmin) from pg_stat_activity where backend_xmin is not null
      union all
      select age(transaction) from pg_prepared_xacts
      union all
      select age(xmin) from pg_replication_slots where xmin is not null
    ) holder (age)
  `.execute(db);
  return rows[0]!.age;
}

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
