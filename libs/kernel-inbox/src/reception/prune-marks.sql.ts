import { sql, type Kysely } from 'kysely';

/** Deletes one batch of marks past the retention and returns their number. Concurrent processes share the work. */
export async function pruneMarks(
  db: Kysely<unknown>,
  { inbox, retentionDays, limit }: { inbox: string; retentionDays: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from processed_event
    where ctid = any(array(
      select ctid from processed_event
      where inbox = ${inbox} and processed_at < now() - ${retentionDays}::int * interval '1 day'
      order by processed_at
      limit ${limit}
      for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
