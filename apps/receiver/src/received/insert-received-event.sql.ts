import { sql, type Kysely } from 'kysely';

export interface NewReceivedEvent {
  eventId: string;
  type: string;
  tenantId: string;
  traceId: string;
  headersJson: string;
  bodyJson: string;
}

/** An event whose mark the inbox has pruned, or that predates the inbox, counts as a duplicate here too. */
export async function insertReceivedEvent(db: Kysely<unknown>, event: NewReceivedEvent): Promise<void> {
  await sql`
    insert into receiver.received_event as known (event_id, type, tenant_id, trace_id, verified, headers, body)
    values (${event.eventId}, ${event.type}, ${event.tenantId}, ${event.traceId}, true,
      ${event.headersJson}::json, ${event.bodyJson}::json)
    on conflict (event_id) do update set duplicates = known.duplicates + 1
  `.execute(db);
}
