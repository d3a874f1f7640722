import { sql, type Kysely } from 'kysely';

export interface LiveEndpoint {
  endpointId: string;
  isEnabled: boolean;
}

/** Those that are not deleted, locked so that they cannot be deleted, enabled or disabled before what is sent to them is queued. */
export async function lockLiveEndpoints(
  trx: Kysely<unknown>,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, LiveEndpoint>> {
  const { rows } = await sql<LiveEndpoint>`
    select endpoint_id as "endpointId", is_enabled as "isEnabled" from kernel_webhook_endpoint
    where endpoint_id = any(${endpointIds}::uuid[]) and deleted_at is null
    order by endpoint_id
    for share
  `.execute(trx);
  return new Map(rows.map((row) => [row.endpointId, row]));
}
