import { sql, type Kysely } from 'kysely';
import { timeMsOf, type Partition } from './partition-range.js';

const LAST_MS = 2 ** 48;

/** The outbox's partitions but for the default one, oldest first, and the database's time. */
export async function listPartitions(db: Kysely<unknown>): Promise<{ nowMs: number; partitions: Partition[] }> {
  const { rows } = await sql<{ nowMs: number; name: string | null; bounds: string | null }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", c.relname as name,
      pg_get_expr(c.relpartbound, c.oid) as bounds
    from (select) as always
    left join (pg_inherits i join pg_class c on c.oid = i.inhrelid)
      on i.inhparent = 'kernel_outbox_event'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
  `.execute(db);
  // One that is dropped at this moment has a name still, and no bounds any more.
  return {
    nowMs: rows[0]!.nowMs,
    partitions: rows
      .flatMap(({ name, bounds }) => (name && bounds ? { name, ...parseBounds(bounds) } : []))
      .sort((a, b) => a.fromMs - b.fromMs),
  };
}

/** E.g. `FOR VALUES FROM ('019a…') TO ('019b…')`; somebody's own partition may begin or end nowhere. */
function parseBounds(bounds: string) {
  const [from, to] = [...bounds.matchAll(/\('?([^')]+)'?\)/g)].map(([, bound]) => bound!);
  return {
    fromMs: from === 'MINVALUE' ? 0 : timeMsOf(from!),
    toMs: to === 'MAXVALUE' ? LAST_MS : timeMsOf(to!),
  };
}
