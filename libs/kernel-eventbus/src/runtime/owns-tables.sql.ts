import { sql, type Kysely } from 'kysely';

/** Whether this connection's user may do with the outbox whatever he likes; a superuser may. */
export async function ownsTables(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ isOwner: boolean }>`
    select pg_has_role(relowner, 'usage') as "isOwner" from pg_class where oid = to_regclass('kernel_outbox_event')
  `.execute(db);
  return rows[0]?.isOwner ?? false;
}
