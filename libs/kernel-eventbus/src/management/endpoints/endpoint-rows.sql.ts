import { sql, type Kysely } from 'kysely';
import { isOpen } from '../../deliveries/queues.sql.js';
import type { StoredSettings } from './stored-settings.js';

export interface EndpointToInsert extends StoredSettings {
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

export async function updateEndpoint(
  trx: Kysely<unknown>,
  endpointId: string,
  settings: StoredSettings,
): Promise<void> {
  await sql`
    update kernel_webhook_endpoint
    set name = ${settings.name}, url = ${settings.url}, operator_url = ${settings.urlSetByOperator ? settings.url : null},
      subscribed_types = ${settings.subscribedTypes}::text[],
      signing_secret_alias = ${settings.signingSecretAlias}, is_enabled = ${settings.isEnabled},
      is_disabled_by_kernel = is_disabled_by_kernel and not is_enabled and not ${settings.isEnabled}::boolean,
      is_external = ${settings.isExternal}, ordering = ${settings.ordering},
      on_dead_letter = ${settings.onDeadLetter}, max_in_flight = ${settings.maxInFlight},
      dispatcher = ${settings.dispatcher}, retry = ${settings.retry && JSON.stringify(settings.retry)}::jsonb,
      timeout_ms = ${settings.timeoutMs}, signature = ${settings.signature},
      headers = ${JSON.stringify(settings.headers)}::jsonb,
      subscriptions = ${JSON.stringify(settings.subscriptions)}::jsonb, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId}
  `.execute(trx);
}

/** Keeps the row, because past deliveries refer to it. */
export async function markEndpointDeleted(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    update kernel_webhook_endpoint
    set deleted_at = clock_timestamp(), is_enabled = false, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId}
  `.execute(trx);
}

/**
 * True if the endpoint has open deliveries, or may get some from events that are not routed yet or whose routing has
 * not committed.
 */
export async function hasOpenDeliveries(
  trx: Kysely<unknown>,
  { endpointId, tenantId, subscribedTypes }: { endpointId: string; tenantId: string; subscribedTypes: string[] },
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from kernel_webhook_delivery d where d.endpoint_id = ${endpointId} and ${isOpen('d')}
    ) or exists (
      select from kernel_outbox_event
      where tenant_id = ${tenantId} and status = 'PENDING' and type = any(${subscribedTypes}::text[])
    ) as has
  `.execute(trx);
  return rows[0]!.has;
}
