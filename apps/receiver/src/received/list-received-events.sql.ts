import { sql, type Kysely } from 'kysely';

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
