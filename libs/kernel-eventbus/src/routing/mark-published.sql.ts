import { sql, type Kysely } from 'kysely';

export async function markPublished(trx: Kysely<unknown>, eventIds: readonly string[]): Promise<void> {
  await sql`
    update kernel_outbox_event set status = 'PUBLISHED', published_at = clock_timestamp()
    where event_id = any(${eventIds}::uuid[])
  `.execute(trx);
}
