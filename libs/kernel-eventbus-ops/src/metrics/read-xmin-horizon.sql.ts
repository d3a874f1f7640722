import { sql, type Kysely } from 'kysely';

/**
 * Age in transactions of the oldest snapshot: vacuum removes no row that it may still see. A snapshot taken after this
 * statement has a negative age.
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
