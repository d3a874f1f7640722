import type { SignatureScheme } from '@kernel/secrets';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ALL_TENANTS } from '../envelope/tenant-id.js';
import { HANDLER_DISPATCHER } from './handler-names.js';
import type { Subscription } from './subscription.js';

/** `stream`: the endpoint gets the events of a stream strictly in sequence. */
export type EndpointOrdering = 'none' | 'stream';

/** Behaviour of an ordered lane when its head goes to the DLQ. */
export type OnDeadLetter = 'block' | 'skip';

/** Custom headers of an endpoint: a text, or the alias of a credential. */
export type EndpointHeaders = Record<string, string | { secretAlias: string }>;

/** An endpoint's overrides of the application's retry options. */
export interface EndpointRetry {
  maxAttempts?: number;
  initialDelayMs?: number;
  maxDelayMs?: number;
}

/** KER-4.2. A deleted endpoint keeps its row, because past deliveries reference it. */
export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'kernel_webhook_endpoint',
  indexes: [{ name: 'kernel_webhook_endpoint_tenant_idx', properties: ['tenantId'] }],
  checks: [
    { name: 'kernel_webhook_endpoint_alias_check', expression: "signing_secret_alias !~~ 'whsec\\_%'" },
    { name: 'kernel_webhook_endpoint_alias_key_check', expression: "signing_secret_alias !~~ 'whsk\\_%'" },
    { name: 'kernel_webhook_endpoint_signature_check', expression: "signature in ('v1', 'v1a')" },
    { name: 'kernel_webhook_endpoint_ordering_check', expression: "ordering in ('none', 'stream')" },
    { name: 'kernel_webhook_endpoint_on_dead_letter_check', expression: "on_dead_letter in ('block', 'skip')" },
    { name: 'kernel_webhook_endpoint_max_in_flight_check', expression: 'max_in_flight > 0' },
    { name: 'kernel_webhook_endpoint_timeout_ms_check', expression: 'timeout_ms > 0' },
    {
      name: 'kernel_webhook_endpoint_all_tenants_check',
      expression: `(tenant_id = '${ALL_TENANTS}') = (not dispatcher is distinct from '${HANDLER_DISPATCHER}')`,
    },
  ],
  properties: {
    endpointId: p.uuid().primary(),
    tenantId: p.uuid(),
    name: p.text().nullable(),
    url: p.text(),
    /** The url, if an operator or the host application set it: only then the guard's exceptions apply. */
    operatorUrl: p.text().nullable(),
    urlSetByOperator: p.boolean().generated('(coalesce(operator_url = url, false)) stored'),
    subscribedTypes: p.array<string>(),
    signingSecretAlias: p.text(),
    isEnabled: p.boolean().default(true),
    /** True after a 410. Workers abort requests in flight only if the endpoint was disabled by hand. */
    isDisabledByKernel: p.boolean().default(false),
    isExternal: p.boolean().default(true),
    ordering: p.text().$type<EndpointOrdering>().default('none'),
    onDeadLetter: p.text().$type<OnDeadLetter>().default('block'),
    maxInFlight: p.integer().nullable(),
    dispatcher: p.text().nullable(),
    retry: p.json<EndpointRetry>().nullable(),
    timeoutMs: p.integer().nullable(),
    subscriptions: p.json<Subscription[]>().defaultRaw(`'[]'`),
    signature: p.text().$type<SignatureScheme>().default('v1'),
    headers: p.json<EndpointHeaders>().defaultRaw(`'{}'`),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    deletedAt: p.datetime().columnType('timestamptz').nullable(),
  },
});
export type WebhookEndpointRow = InferEntity<typeof WebhookEndpointEntity>;
