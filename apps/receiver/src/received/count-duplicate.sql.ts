import { sql, type Kysely } from 'kysely';

export async function countDuplicate(db: Kysely<unknown>, eventId: string): Promise<void> {
  await sql`
    update receiver.received_event set duplicates = duplicates + 1 where event_id = ${eventId}
  `.execute(db);
}
