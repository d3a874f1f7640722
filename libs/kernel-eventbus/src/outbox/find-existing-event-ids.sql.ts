import { sql, type Kysely } from 'kysely';

export async function findExistingEventIds(db: Kysely<unknown>, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from kernel_outbox_event where event_id = any(${eventIds}::uuid[])
  `.execute(db);
  return rows.map((row) => row.event_id);
}
