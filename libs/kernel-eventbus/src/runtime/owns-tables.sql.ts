import { sql, type Kysely } from 'kysely';

/** True if the connection's user owns the outbox table or is a superuser. */
export async function ownsTables(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ isOwner: boolean }>`
    select pg_has_role(relowner, 'usage') as "isOwner" from pg_class where oid = to_regclass('kernel_outbox_event')
  `.execute(db);
  return rows[0]?.isOwner ?? false;
}

/** The schema of the outbox table, quoted, if the connection's user may create in it. */
export async function findCreatableSchema(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`
    select relnamespace::regnamespace::text as schema from pg_class
    where oid = to_regclass('kernel_outbox_event') and has_schema_privilege(relnamespace, 'create')
  `.execute(db);
  return rows[0]?.schema;
}
