import { sql, type Kysely } from 'kysely';
import { plainArray } from './array-literal.js';

export interface Backend {
  /** Null while it is active. */
  idleSince: string | null;
}

/** The existing backends among `pids`. */
export async function selectIdleBackends(
  db: Kysely<unknown>,
  pids: readonly number[],
): Promise<ReadonlyMap<number, Backend>> {
  const { rows } = await sql<{ pid: number } & Backend>`
    select pid, case when state like 'idle%' then state_change::text end as "idleSince"
    from pg_stat_activity where pid = any(${plainArray(pids.map(String))}::int[])
  `.execute(db);
  return new Map(rows.map(({ pid, idleSince }) => [Number(pid), { idleSince }]));
}
