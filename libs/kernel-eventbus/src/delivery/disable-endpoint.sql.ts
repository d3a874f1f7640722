import { sql, type Kysely } from 'kysely';

/** By the kernel itself, which aborts nothing in flight. False when it was disabled already. */
export async function disableEndpoint(trx: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_webhook_endpoint set is_enabled = false, is_disabled_by_kernel = true, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId} and is_enabled
  `.execute(trx);
  return numAffectedRows === 1n;
}
