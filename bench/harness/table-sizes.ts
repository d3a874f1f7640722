import pg from 'pg';

const FIGURES = ['table MB', 'index MB', 'table bytes per row', 'index bytes per row', 'dead rows'] as const;

/** Partitions count as their parent. Bytes per row grow with bloat and not with history. */
const SIZES = `
  select name, table_bytes / 2 ^ 20 as "table MB", index_bytes / 2 ^ 20 as "index MB",
    table_bytes / greatest(live, 1) as "table bytes per row", index_bytes / greatest(live, 1) as "index bytes per row",
    dead as "dead rows"
  from (
    select regexp_replace(c.relname, '_(p\\d{8}_\\d{2}|default)$', '') as name,
      sum(pg_table_size(c.oid))::float8 as table_bytes, sum(pg_indexes_size(c.oid))::float8 as index_bytes,
      sum(s.n_live_tup)::float8 as live, sum(s.n_dead_tup)::float8 as dead
    from pg_class c
    join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and c.relname like 'kernel\\_%'
    group by 1
  ) sized
  where table_bytes > 2 ^ 20
  order by name
`;

type Row = Record<(typeof FIGURES)[number], number> & { name: string };

/** Sizes of our tables above a megabyte, as figures named `table: figure`. */
export async function readTableSizes(databaseUrl: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(SIZES);
    return Object.fromEntries(rows.flatMap((row) => FIGURES.map((figure) => [`${row.name}: ${figure}`, row[figure]])));
  } finally {
    await client.end();
  }
}

/** A table with one row for each table at the beginning, and one at the end. */
export function describeTableSizes(
  begin: string,
  atBegin: Record<string, number>,
  end: string,
  atEnd: Record<string, number>,
): string {
  const names = [...new Set(Object.keys(atEnd).map((key) => key.split(': ')[0]!))];
  const cells = (sizes: Record<string, number>, name: string) =>
    FIGURES.map((figure) => sizes[`${name}: ${figure}`]?.toFixed(0) ?? '').join(' | ');
  return [
    `| table | when | ${FIGURES.join(' | ')} |`,
    `|---|---|${'---|'.repeat(FIGURES.length)}`,
    ...names.flatMap((name) => [
      `| ${name} | ${begin} | ${cells(atBegin, name)} |`,
      `| ${name} | ${end} | ${cells(atEnd, name)} |`,
    ]),
  ].join('\n');
}
