import { sql, type Kysely } from 'kysely';
import type { EndpointSettings } from './endpoint-settings.js';

export async function updateEndpoint(
  trx: Kysely<unknown>,
  endpointId: string,
  settings: EndpointSettings,
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
