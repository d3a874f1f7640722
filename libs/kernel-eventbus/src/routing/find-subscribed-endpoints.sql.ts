import { sql, type Kysely } from 'kysely';

export interface SubscribedEndpoint {
  endpointId: string;
  tenantId: string;
  subscribedTypes: string[];
}

/** The enabled endpoints of these tenants that subscribe to any of these types. */
export async function findSubscribedEndpoints(
  trx: Kysely<unknown>,
  tenantIds: readonly string[],
  types: readonly string[],
): Promise<SubscribedEndpoint[]> {
  const { rows } = await sql<SubscribedEndpoint>`
    select endpoint_id as "endpointId", tenant_id as "tenantId", subscribed_types as "subscribedTypes"
    from kernel_webhook_endpoint
    where tenant_id = any(${tenantIds}::uuid[])
      and subscribed_types && ${types}::text[]
      and is_enabled and deleted_at is null
  `.execute(trx);
  return rows;
}
