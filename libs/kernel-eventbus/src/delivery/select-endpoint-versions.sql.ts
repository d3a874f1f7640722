import { sql, type Kysely } from 'kysely';
import { plainArray } from '../runtime/array-literal.js';

export interface EndpointVersion {
  endpointId: string;
  /** The transaction that wrote the row: another one after each change, whoever made it and however late it was committed. */
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
