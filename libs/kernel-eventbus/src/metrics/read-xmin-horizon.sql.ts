import { sql, type Kysely } from 'kysely';

/**
 * How many transactions back the oldest one is that still may see a row: vacuum removes nothing younger. One that began after
 * this statement has an age below zero.
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
