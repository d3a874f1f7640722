import { sql, type Kysely } from 'kysely';
import type { Subscription } from '@kernel/eventbus';

export interface PreviewedEndpoint {
  endpointId: string;
  name: string | null;
  isEnabled: boolean;
  isExternal: boolean;
  isSubscribed: boolean;
  /** Subscriptions for the type of the event. */
  subscriptions: Subscription[];
  /** When the event was routed to the endpoint; null if it was not. */
  dispatchedAt: Date | string | null;
  /** All endpoints of the tenant, including those beyond the limit. */
  count: number;
}

/** The endpoints of a tenant and their relation to an event: subscribers of its type first, then newest first. */
export async function selectPreviewedEndpoints(
  db: Kysely<unknown>,
  { tenantId, type, eventId }: { tenantId: string; type: string; eventId: string },
  limit: number,
): Promise<PreviewedEndpoint[]> {
  const { rows } = await sql<PreviewedEndpoint>`
    select p.endpoint_id as "endpointId", p.name, p.is_enabled as "isEnabled", p.is_external as "isExternal",
      ${type} = any(p.subscribed_types) as "isSubscribed",
      jsonb_path_query_array(p.subscriptions, '$[*] ? (@.type == $type)', jsonb_build_object('type', ${type}::text)) as subscriptions,
      (
        select d.dispatched_at from kernel_webhook_delivery d
        where d.endpoint_id = p.endpoint_id and d.event_id = ${eventId}::uuid
      ) as "dispatchedAt",
      count(*) over ()::int as count
    from kernel_webhook_endpoint p
    where p.tenant_id = ${tenantId}::uuid and p.deleted_at is null
    order by ${type} = any(p.subscribed_types) desc, p.endpoint_id desc
    limit ${limit}
  `.execute(db);
  return rows;
}
