import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Subscriptions, type WebhookEndpointRow } from '@kernel/eventbus/engine';
import { WebhookEndpoint } from '@kernel/eventbus';
import { asStored } from './as-stored.js';
import { IdCursor } from '../paging/cursor.js';
import { Limit, pageSchema } from '../paging/page.js';
import { Id, storable, SubscribedTypes, TenantId } from '../request-fields.js';
import { TextOrNull } from '../text-or-null.js';
import { shownSecret } from './endpoint-secret.dto.js';

const { shape } = WebhookEndpoint;

/** Settings that a client can set and change, with the same limits as the endpoint itself. */
const settings = {
  name: storable(shape.name.unwrap().unwrap()).nullish(),
  url: shape.url,
  subscribedTypes: SubscribedTypes,
  subscriptions: shape.subscriptions.unwrap(),
  signingSecretAlias: shape.signingSecretAlias,
  signature: shape.signature.unwrap(),
  headers: shape.headers.unwrap(),
  isEnabled: shape.isEnabled.unwrap(),
  isExternal: shape.isExternal.unwrap(),
  ordering: shape.ordering.unwrap(),
  onDeadLetter: shape.onDeadLetter.unwrap(),
  maxInFlight: shape.maxInFlight.unwrap(),
  dispatcher: shape.dispatcher.unwrap(),
  retry: shape.retry.unwrap(),
  timeoutMs: shape.timeoutMs.unwrap(),
};

export class NewEndpoint extends createZodDto(
  z.strictObject({
    tenantId: TenantId,
    ...settings,
    subscriptions: shape.subscriptions,
    signingSecretAlias: settings.signingSecretAlias
      .optional()
      .meta({ description: 'of a secret that exists; left out, a secret is made' }),
    signature: shape.signature,
    headers: shape.headers,
    isEnabled: shape.isEnabled,
    isExternal: shape.isExternal,
    ordering: shape.ordering,
    onDeadLetter: shape.onDeadLetter,
    maxInFlight: shape.maxInFlight,
    dispatcher: shape.dispatcher,
    retry: shape.retry,
    timeoutMs: shape.timeoutMs,
  }),
) {}

export class EndpointChanges extends createZodDto(
  z
    .strictObject(settings)
    .partial()
    .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
      error: `give at least one of ${Object.keys(settings).join(', ')}`,
    }),
) {}

export class EndpointQuery extends createZodDto(
  z.strictObject({ tenantId: Id.optional(), limit: Limit, cursor: IdCursor.schema.optional() }),
) {}

const Endpoint = WebhookEndpoint.extend({
  subscriptions: asStored(Subscriptions),
  urlSetByOperator: z.boolean().meta({
    description:
      'false: an admin of the tenant set the url, so that it has to be public and https, whatever is allowed',
  }),
  updatedAt: z.iso.datetime(),
});

const ShownEndpoint = Endpoint.extend({
  circuit: z
    .object({
      state: z.enum(['closed', 'open', 'half-open']),
      until: z.iso.datetime().nullable().meta({ description: 'when the next probe goes out; null: closed' }),
    })
    .meta({ description: 'open: it gets nothing until then; half-open: the next delivery is a probe' }),
});

export class EndpointResponse extends createZodDto(ShownEndpoint) {}

export class EndpointWithSecret extends createZodDto(
  Endpoint.extend({
    ...shownSecret,
    signingSecretVersion: z.number().int().optional().meta({ description: 'of the secret that was made just now' }),
  }),
) {}

export class EndpointPage extends createZodDto(pageSchema(ShownEndpoint)) {}

export class PingResponse extends createZodDto(
  z.object({
    delivered: z.boolean(),
    statusCode: z.number().int().nullable(),
    latencyMs: z.number().int().nullable(),
    errorClass: TextOrNull,
  }),
) {}

export function toEndpointResponse(row: WebhookEndpointRow): z.input<typeof Endpoint> {
  return {
    tenantId: row.tenantId,
    endpointId: row.endpointId,
    name: row.name ?? null,
    url: row.url,
    urlSetByOperator: row.urlSetByOperator,
    subscribedTypes: row.subscribedTypes,
    subscriptions: row.subscriptions,
    signingSecretAlias: row.signingSecretAlias,
    signature: row.signature,
    headers: row.headers,
    isEnabled: row.isEnabled,
    isExternal: row.isExternal,
    ordering: row.ordering,
    onDeadLetter: row.onDeadLetter,
    maxInFlight: row.maxInFlight ?? null,
    dispatcher: row.dispatcher ?? null,
    retry: row.retry ?? null,
    timeoutMs: row.timeoutMs ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
