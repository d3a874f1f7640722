import { sql, type Kysely } from 'kysely';

/** Clears the sequence numbers; the marks stay, so duplicates are still detected. */
export async function forgetStream(
  db: Kysely<unknown>,
  inbox: string,
  { tenantId, streamKey }: { tenantId: string; streamKey: string },
): Promise<void> {
  await sql`
    update processed_event set sequence = null, previous_sequence = null, is_gap = false
    where inbox = ${inbox} and tenant_id = ${tenantId}::uuid and stream_key = ${streamKey} and sequence is not null
  `.execute(db);
}
