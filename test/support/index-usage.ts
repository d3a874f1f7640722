import { appendFile, readFile } from 'node:fs/promises';
import type pg from 'pg';

interface IndexUsage {
  table: string;
  index: string;
  scans: number;
}

/** With `INDEX_USAGE=<file>`, every test database adds the scans of its indexes to the file before it is dropped. */
const file = process.env.INDEX_USAGE;

export async function appendIndexUsage(database: pg.Pool): Promise<void> {
  if (file) {
    const { rows } = await database.query<IndexUsage>(FIND_SCANS);
    await appendFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
}

/** Prints the scans of the whole test run, by table and index. */
export async function printIndexUsage(): Promise<void> {
  if (!file) {
    return;
  }
  const scans = new Map<string, number>();
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const usage = JSON.parse(line) as IndexUsage;
    const name = `${usage.table} ${usage.index}`;
    scans.set(name, (scans.get(name) ?? 0) + usage.scans);
  }
  for (const [name, count] of [...scans].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(count).padStart(9)}  ${name}`);
  }
}

/** The scans of a partition's index count as scans of the partitioned index. */
const FIND_SCANS = `
  select coalesce(parent.indrelid, own.indrelid)::regclass::text as table,
    coalesce(i.inhparent, own.indexrelid)::regclass::text as index, sum(s.idx_scan)::int as scans
  from pg_stat_user_indexes s
  join pg_index own on own.indexrelid = s.indexrelid
  left join pg_inherits i on i.inhrelid = s.indexrelid
  left join pg_index parent on parent.indexrelid = i.inhparent
  where s.relname like 'kernel%'
  group by 1, 2
`;
