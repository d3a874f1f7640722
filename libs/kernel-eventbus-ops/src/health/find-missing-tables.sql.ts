import { sql, type Kysely } from 'kysely';

/** The given tables that do not exist in the database. */
export async function findMissingTables(db: Kysely<unknown>, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${tables}::text[]) as name where to_regclass(quote_ident(name)) is null
  `.execute(db);
  return rows.map(({ name }) => name);
}
