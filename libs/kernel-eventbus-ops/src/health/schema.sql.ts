import { sql, type Kysely } from 'kysely';

/** The given tables that do not exist in the database. */
export async function findMissingTables(db: Kysely<unknown>, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${tables}::text[]) as name where to_regclass(quote_ident(name)) is null
  `.execute(db);
  return rows.map(({ name }) => name);
}

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
