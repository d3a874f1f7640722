import { sql, type Kysely } from 'kysely';

/** Whether an endpoint has deliveries under way, or events that may just be on their way to it without a delivery that shows. */
export async function hasOpenDeliveries(
  trx: Kysely<unknown>,
  { endpointId, tenantId, subscribedTypes }: { endpointId: string; tenantId: string; subscribedTypes: string[] },
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from kernel_webhook_delivery where endpoint_id = ${endpointId} and status in ('PENDING', 'FAILED')
    ) or exists (
      select from kernel_outbox_event
      where tenant_id = ${tenantId} and status = 'PENDING' and type = any(${subscribedTypes}::text[])
    ) as has
  `.execute(trx);
  return rows[0]!.has;
}
