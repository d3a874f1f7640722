import { sql, type Kysely } from 'kysely';

/** Removes the batches of workers that are gone, once all their events are routed by others. */
export async function forgetBatches(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from kernel_unwritten_batch b
    where not exists (select from kernel_worker w where w.worker_id = b.worker_id)
      and not exists (
        select from kernel_outbox_event e where e.event_id = any(b.event_ids) and e.status = 'PENDING'
      )
  `.execute(db);
}
