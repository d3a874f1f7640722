import { sql, type Kysely } from 'kysely';

/** Removes a batch of steps that ended so long ago, and says how many. */
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
