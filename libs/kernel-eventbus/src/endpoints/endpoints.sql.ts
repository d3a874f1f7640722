import { sql, type Kysely } from 'kysely';
import { plainArray } from '@kernel/runtime';

export interface EndpointVersion {
  endpointId: string;
  /** The transaction that wrote the row: it differs after each change, however late that was committed. */
  version: string;
  isEnabled: boolean;
  isDisabledByKernel: boolean;
  isDeleted: boolean;
}

export async function selectEndpointVersions(
  db: Kysely<unknown>,
  endpointIds: readonly string[],
): Promise<EndpointVersion[]> {
  const { rows } = await sql<EndpointVersion>`
    select endpoint_id as "endpointId", xmin::text as version, is_enabled as "isEnabled",
      is_disabled_by_kernel as "isDisabledByKernel", deleted_at is not null as "isDeleted"
    from kernel_webhook_endpoint where endpoint_id = any(${plainArray(endpointIds)}::uuid[])
  `.execute(db);
  return rows;
}

/** By the kernel itself, which aborts nothing in flight. False when it was disabled already. */
export async function disableEndpoint(trx: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_webhook_endpoint set is_enabled = false, is_disabled_by_kernel = true, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId} and is_enabled
  `.execute(trx);
  return numAffectedRows === 1n;
}
