import { sql, type Kysely } from 'kysely';

/** Without a schema, the table is looked for in the `search_path`. */
export interface TablePlace {
  schema: string | undefined;
  table: string;
}

/** The existing and readable tables among the given ones. Unlike `to_regclass`, it accepts a schema without usage right. */
export async function findReadableTables(
  db: Kysely<unknown>,
  tables: readonly string[],
  schema: string | undefined,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = any(${tables}::text[]) and has_table_privilege(pg_class.oid, 'select')
      and has_schema_privilege(relnamespace, 'usage')
      and case when ${schema ?? null}::text is null then pg_table_is_visible(pg_class.oid) else nspname = ${schema ?? null} end
  `.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** The given migrations that are in MikroORM's migrations table. Empty if the table is missing or not readable. */
export async function findAppliedMigrations(
  db: Kysely<unknown>,
  { schema, table }: TablePlace,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const readable = await findReadableTables(db, [table], schema);
  if (!readable.has(table)) {
    return new Set();
  }
  const { rows } = await sql<{ name: string }>`
    select name from ${schema ? sql.id(schema, table) : sql.id(table)} where name = any(${names}::text[])
  `.execute(db);
  return new Set(rows.map(({ name }) => name));
}
