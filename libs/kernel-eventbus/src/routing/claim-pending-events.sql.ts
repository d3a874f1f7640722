import { sql, type Kysely } from 'kysely';

export interface PendingEvent {
  eventId: string;
  tenantId: string;
  type: string;
  traceId: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
}

/** Locks the oldest pending events until the transaction ends; what another router holds is passed over. */
export async function claimPendingEvents(trx: Kysely<unknown>, limit: number): Promise<PendingEvent[]> {
  const { rows } = await sql<PendingEvent>`
    select event_id as "eventId", tenant_id as "tenantId", type, trace_id as "traceId",
      aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson"
    from kernel_outbox_event
    where status = 'PENDING'
    order by created_at
    limit ${limit}
    for update skip locked
  `.execute(trx);
  return rows;
}
