import { sql, type Kysely } from 'kysely';

/** The row stays, because the history of its deliveries points to it. */
export async function markEndpointDeleted(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    update kernel_webhook_endpoint
    set deleted_at = clock_timestamp(), is_enabled = false, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId}
  `.execute(trx);
}
