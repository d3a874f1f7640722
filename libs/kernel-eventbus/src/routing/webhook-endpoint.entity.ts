import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** KER-4.2. A deleted endpoint keeps its row, because the history of its deliveries points to it. */
export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'kernel_webhook_endpoint',
  indexes: [{ name: 'kernel_webhook_endpoint_tenant_idx', properties: ['tenantId'] }],
  checks: [{ name: 'kernel_webhook_endpoint_alias_check', expression: "signing_secret_alias !~~ 'whsec\\_%'" }],
  properties: {
    endpointId: p.uuid().primary(),
    tenantId: p.uuid(),
    name: p.text().nullable(),
    url: p.text(),
    subscribedTypes: p.array<string>(),
    signingSecretAlias: p.text(),
    isEnabled: p.boolean().default(true),
    isExternal: p.boolean().default(true),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    deletedAt: p.datetime().columnType('timestamptz').nullable(),
  },
});
export type WebhookEndpointRow = InferEntity<typeof WebhookEndpointEntity>;
