import { sql, type Kysely } from 'kysely';

/** The database's clock, by which activity is summed up, in milliseconds since 1970. */
export async function readNow(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ nowMs: number }>`
    select (extract(epoch from now()) * 1000)::float8 as "nowMs"
  `.execute(db);
  return rows[0]!.nowMs;
}
