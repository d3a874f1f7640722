import { sql, type Kysely } from 'kysely';

export async function hasOpenDeliveries(trx: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from kernel_webhook_delivery where endpoint_id = ${endpointId} and status in ('PENDING', 'FAILED')
    ) as has
  `.execute(trx);
  return rows[0]!.has;
}
