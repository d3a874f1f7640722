import { sql, type Kysely } from 'kysely';

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
