import type { SignatureScheme } from '@kernel/secrets';
import type { Kysely } from 'kysely';
import { plainArray, textArray } from '../runtime/array-literal.js';
import { ALL_TENANTS, HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { prepared } from '../runtime/prepared.js';
import type { Subscription } from '../envelope/subscription.js';
import type { EndpointHeaders, EndpointOrdering, EndpointRetry, OnDeadLetter } from './webhook-endpoint.entity.js';

export interface SubscribedEndpoint {
  endpointId: string;
  tenantId: string;
  subscribedTypes: string[];
  subscriptions: Subscription[];
  url: string;
  signingSecretAlias: string;
  signature: SignatureScheme;
  headers: EndpointHeaders;
  isExternal: boolean;
  ordering: EndpointOrdering;
  onDeadLetter: OnDeadLetter;
  maxInFlight: number | null;
  dispatcher: string | null;
  retry: EndpointRetry | null;
  timeoutMs: number | null;
  /** Its circuit is open: what is routed to it waits. */
  isDead: boolean;
}

/** The enabled endpoints of these tenants, and the handlers, which are there for all of them, that subscribe to any of these types. */
export function findSubscribedEndpoints(
  trx: Kysely<unknown>,
  tenantIds: readonly string[],
  types: readonly string[],
): Promise<SubscribedEndpoint[]> {
  return FIND_SUBSCRIBED_ENDPOINTS(trx, {
    tenantIds: plainArray([...tenantIds, ALL_TENANTS]),
    types: textArray(types),
  });
}

const FIND_SUBSCRIBED_ENDPOINTS = prepared<'tenantIds' | 'types', SubscribedEndpoint>`
  select endpoint_id as "endpointId", tenant_id as "tenantId", subscribed_types as "subscribedTypes",
    subscriptions, url,
    signing_secret_alias as "signingSecretAlias", signature, headers, is_external as "isExternal", ordering,
    on_dead_letter as "onDeadLetter", max_in_flight as "maxInFlight", dispatcher, retry, timeout_ms as "timeoutMs",
    exists (select from kernel_endpoint_circuit k where k.endpoint_id = p.endpoint_id) as "isDead"
  from kernel_webhook_endpoint p
  where tenant_id = any(${'tenantIds'}::uuid[])
    and (tenant_id <> '${{ text: ALL_TENANTS }}'::uuid or dispatcher = '${{ text: HANDLER_DISPATCHER }}')
    and subscribed_types && ${'types'}::text[]
    and is_enabled and deleted_at is null
`;
