import { sql, type Kysely } from 'kysely';

export interface Rights {
  /** True for a superuser or the owner of the outbox. */
  isPowerful: boolean;
  mayTakeRole: boolean;
}

export async function selectRights(db: Kysely<unknown>, role: string): Promise<Rights> {
  const { rows } = await sql<Rights>`
    select pg_has_role(relowner, 'usage') as "isPowerful",
      exists (select from pg_roles where rolname = ${role} and pg_has_role(oid, 'member')) as "mayTakeRole"
    from pg_class where oid = 'kernel_outbox_event'::regclass
  `.execute(db);
  return rows[0]!;
}
