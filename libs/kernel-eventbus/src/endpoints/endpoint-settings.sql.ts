import type { Kysely } from 'kysely';
import { plainArray, prepared, type Statement } from '@kernel/runtime';
import type { EndpointSettings } from './endpoint-settings.js';

export function selectEndpointSettings(
  db: Kysely<unknown>,
  endpointIds: readonly string[],
): Promise<EndpointSettings[]> {
  return SELECT_SETTINGS(db, { endpointIds: plainArray(endpointIds) });
}

/** The same, for a transaction that sends its statements itself. */
export function endpointSettingsStatement(endpointIds: readonly string[]): Statement {
  return SELECT_SETTINGS.bind({ endpointIds: plainArray(endpointIds) });
}

const SELECT_SETTINGS = prepared<'endpointIds', EndpointSettings>`
  select endpoint_id as "endpointId", xmin::text as version, subscribed_types as "subscribedTypes", subscriptions, url,
    url_set_by_operator as "urlSetByOperator", signing_secret_alias as "signingSecretAlias", signature, headers,
    ordering, on_dead_letter as "onDeadLetter", max_in_flight as "maxInFlight", dispatcher, retry,
    timeout_ms as "timeoutMs", is_enabled as "isEnabled", is_external as "isExternal",
    deleted_at is not null as "isDeleted"
  from kernel_webhook_endpoint where endpoint_id = any(${'endpointIds'}::uuid[])
`;
