import { sql, type Kysely } from 'kysely';

/** Removes the batches that came to nothing, once all their events are routed again. Those of a batch that is under way are pending. */
export async function forgetBatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from kernel_unwritten_batch b
    where not exists (select from kernel_outbox_event e where e.event_id = any(b.event_ids) and e.status = 'PENDING')
  `.execute(db);
}
