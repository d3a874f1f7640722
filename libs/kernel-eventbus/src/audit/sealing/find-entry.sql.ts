import { sql, type Kysely } from 'kysely';

export async function hasEntry(db: Kysely<unknown>, entryId: string): Promise<boolean> {
  const { rows } = await sql`select from kernel_ledger_entry where entry_id = ${entryId}::uuid`.execute(db);
  return rows.length > 0;
}

/** The first entry that was recorded from that time on. */
export async function findFirstEntry(db: Kysely<unknown>, fromTime: string): Promise<string | null> {
  const { rows } = await sql<{ entry_id: string }>`
    select entry_id from kernel_ledger_entry where recorded_at >= ${fromTime}::timestamptz
    order by recorded_at, entry_id limit 1
  `.execute(db);
  return rows[0]?.entry_id ?? null;
}
