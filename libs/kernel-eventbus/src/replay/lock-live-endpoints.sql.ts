import { sql, type Kysely } from 'kysely';
import type { Subscriber } from '../endpoints/subscriptions/subscription-judge.js';
import type { EndpointOrdering } from '../endpoints/webhook-endpoint.entity.js';

export interface LiveEndpoint extends Subscriber {
  tenantId: string;
  isEnabled: boolean;
  ordering: EndpointOrdering;
}

/**
 * The endpoints that are not deleted, locked against deletion, enabling and disabling until their deliveries are
 * queued.
 */
export async function lockLiveEndpoints(
  trx: Kysely<unknown>,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, LiveEndpoint>> {
  const { rows } = await sql<LiveEndpoint>`
    select endpoint_id as "endpointId", tenant_id as "tenantId", is_enabled as "isEnabled", ordering,
      subscribed_types as "subscribedTypes", subscriptions
    from kernel_webhook_endpoint
    where endpoint_id = any(${endpointIds}::uuid[]) and deleted_at is null
    order by endpoint_id
    for share
  `.execute(trx);
  return new Map(rows.map((row) => [row.endpointId, row]));
}
