import { sql, type Kysely } from 'kysely';

/** False when this handler has processed the event already. Two at a time wait for each other here. */
export async function markProcessed(trx: Kysely<unknown>, handler: string, eventId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into kernel_processed_event (handler, event_id) values (${handler}, ${eventId})
    on conflict do nothing
    returning event_id
  `.execute(trx);
  return rows.length === 1;
}
