import { sql, type Kysely } from 'kysely';
import type { EndpointSettings } from './endpoint-settings.js';

export interface EndpointToInsert extends EndpointSettings {
  endpointId: string;
  tenantId: string;
}

export async function insertEndpoint(trx: Kysely<unknown>, endpoint: EndpointToInsert): Promise<void> {
  await sql`
    insert into kernel_webhook_endpoint (
      endpoint_id, tenant_id, name, url, operator_url, subscribed_types, signing_secret_alias, is_enabled,
      is_external, ordering, on_dead_letter, max_in_flight, dispatcher, retry, timeout_ms, subscriptions, signature, headers
    ) values (
      ${endpoint.endpointId}, ${endpoint.tenantId}, ${endpoint.name}, ${endpoint.url}, ${endpoint.urlSetByOperator ? endpoint.url : null},
      ${endpoint.subscribedTypes}::text[], ${endpoint.signingSecretAlias}, ${endpoint.isEnabled}, ${endpoint.isExternal},
      ${endpoint.ordering}, ${endpoint.onDeadLetter}, ${endpoint.maxInFlight},
      ${endpoint.dispatcher}, ${endpoint.retry && JSON.stringify(endpoint.retry)}::jsonb, ${endpoint.timeoutMs},
      ${JSON.stringify(endpoint.subscriptions)}::jsonb, ${endpoint.signature}, ${JSON.stringify(endpoint.headers)}::jsonb
    )
  `.execute(trx);
}
