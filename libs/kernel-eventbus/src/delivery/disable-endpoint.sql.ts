import { sql, type Kysely } from 'kysely';

/** False when it was disabled already. */
export async function disableEndpoint(trx: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_webhook_endpoint set is_enabled = false, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId} and is_enabled
  `.execute(trx);
  return numAffectedRows === 1n;
}
