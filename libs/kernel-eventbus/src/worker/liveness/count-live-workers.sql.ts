import { sql, type Kysely } from 'kysely';

/** Workers by heartbeat. A stopped worker has no row; a crashed one has a stale row until it is declared lost. */
export async function countLiveWorkers(
  db: Kysely<unknown>,
  silentMs: number,
): Promise<{ live: number; silent: number }> {
  const { rows } = await sql<{ live: number; silent: number }>`
    select count(*) filter (where is_live)::int as live, count(*) filter (where not is_live)::int as silent
    from kernel_worker,
      lateral (select heartbeat_at > clock_timestamp() - ${silentMs}::int * interval '1 millisecond' as is_live) as sign
  `.execute(db);
  return rows[0]!;
}
