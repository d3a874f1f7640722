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

export async function countDuplicate(db: Kysely<unknown>, eventId: string): Promise<void> {
  await sql`
    update receiver.received_event set duplicates = duplicates + 1 where event_id = ${eventId}
  `.execute(db);
}

export interface ReceivedEvent {
  eventId: string;
  type: string;
  tenantId: string;
  traceId: string;
  verified: boolean;
  duplicates: number;
  receivedAt: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** Newest first. */
export async function listReceivedEvents(db: Kysely<unknown>, limit: number): Promise<ReceivedEvent[]> {
  const { rows } = await sql<ReceivedEvent>`
    select event_id as "eventId", type, tenant_id as "tenantId", trace_id as "traceId", verified, duplicates,
      received_at as "receivedAt", headers, body
    from receiver.received_event
    order by received_at desc, event_id desc
    limit ${limit}
  `.execute(db);
  return rows.map((row) => ({ ...row, receivedAt: new Date(row.receivedAt).toISOString() }));
}
