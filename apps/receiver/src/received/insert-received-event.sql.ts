import { sql, type Kysely } from 'kysely';

export interface NewReceivedEvent {
  eventId: string;
  type: string;
  tenantId: string;
  traceId: string;
  headersJson: string;
  bodyJson: string;
}

/** Keeps the first arrival and counts the others; returns how many others there were. The primary key decides races. */
export async function insertReceivedEvent(db: Kysely<unknown>, event: NewReceivedEvent): Promise<number> {
  const { rows } = await sql<{ duplicates: number }>`
    insert into receiver.received_event as known (event_id, type, tenant_id, trace_id, verified, headers, body)
    values (${event.eventId}, ${event.type}, ${event.tenantId}, ${event.traceId}, true,
      ${event.headersJson}::json, ${event.bodyJson}::json)
    on conflict (event_id) do update set duplicates = known.duplicates + 1
    returning duplicates
  `.execute(db);
  return rows[0]!.duplicates;
}
