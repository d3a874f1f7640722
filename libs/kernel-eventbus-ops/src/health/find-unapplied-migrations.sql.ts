import { sql, type Kysely } from 'kysely';

/** The given migrations that are missing in MikroORM's migrations table. */
export async function findUnappliedMigrations(
  db: Kysely<unknown>,
  table: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select wanted.name
    from unnest(${names}::text[]) with ordinality as wanted (name, position)
    where not exists (select from ${sql.id(...table)} applied where applied.name = wanted.name)
    order by wanted.position
  `.execute(db);
  return rows.map(({ name }) => name);
}
