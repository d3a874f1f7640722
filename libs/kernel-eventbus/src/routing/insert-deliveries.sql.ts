import { sql, type Kysely } from 'kysely';

export interface NewDelivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  traceId: string;
}

/** Due at once. A delivery that exists already (same endpoint, same event) is left as it is. */
export async function insertDeliveries(trx: Kysely<unknown>, deliveries: readonly NewDelivery[]): Promise<void> {
  const column = <Key extends keyof NewDelivery>(key: Key) => deliveries.map((delivery) => delivery[key]);
  await sql`
    insert into kernel_webhook_delivery (
      delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, next_attempt_at, dispatched_at
    )
    select d.*, clock_timestamp(), date_trunc('milliseconds', clock_timestamp())
    from unnest(
      ${column('deliveryId')}::uuid[], ${column('tenantId')}::uuid[], ${column('endpointId')}::uuid[],
      ${column('eventId')}::uuid[], ${column('eventType')}::text[], ${column('traceId')}::text[]
    ) as d
    on conflict (endpoint_id, event_id) do nothing
  `.execute(trx);
}
