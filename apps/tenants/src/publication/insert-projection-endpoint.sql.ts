import { sql, type Kysely } from 'kysely';

export interface ProjectionEndpoint {
  endpointId: string;
  tenantId: string;
  url: string;
  dispatcher: string;
  subscribedTypes: string[];
  signingSecretAlias: string;
  retry: { maxAttempts: number; initialDelayMs: number; maxDelayMs: number };
}

/** Internal and ordered: the projection gets the unredacted changes of a tenant, one after the other. */
export async function insertProjectionEndpoint(trx: Kysely<unknown>, endpoint: ProjectionEndpoint): Promise<void> {
  await sql`
    insert into kernel_webhook_endpoint (
      endpoint_id, tenant_id, name, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering,
      on_dead_letter, dispatcher, retry
    ) values (
      ${endpoint.endpointId}, ${endpoint.tenantId}, 'governance projection', ${endpoint.url}, ${endpoint.url},
      ${endpoint.subscribedTypes}::text[], ${endpoint.signingSecretAlias}, false, 'stream', 'block',
      ${endpoint.dispatcher}, ${JSON.stringify(endpoint.retry)}::jsonb
    )
  `.execute(trx);
}
