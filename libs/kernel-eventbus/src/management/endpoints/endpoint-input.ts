import { z } from 'zod';
import { MAX_SUBSCRIBED_TYPES } from '../../endpoints/subscription-limits.js';
import { atMost } from '../../endpoints/subscription.js';
import { WebhookEndpoint } from '../../endpoints/webhook-endpoint.js';
import { EventType, Id, storable, TenantId } from '../../envelope/request-fields.js';
import { IdCursor } from '../../paging/cursor.js';
import { Limit } from '../../paging/page.js';

export const SubscribedTypes = z
  .array(EventType)
  .min(1)
  .max(MAX_SUBSCRIBED_TYPES, atMost(MAX_SUBSCRIBED_TYPES, 'types'));

const { shape } = WebhookEndpoint;

/** Settings that a caller can set and change, with the same limits as the endpoint itself. */
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

export const NewEndpoint = z.strictObject({
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
});
export type NewEndpoint = z.output<typeof NewEndpoint>;

export const EndpointChanges = z
  .strictObject(settings)
  .partial()
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: `give at least one of ${Object.keys(settings).join(', ')}`,
  });
export type EndpointChanges = z.output<typeof EndpointChanges>;

export const EndpointQuery = z.strictObject({
  tenantId: Id.optional(),
  limit: Limit,
  cursor: IdCursor.schema.optional(),
});
export type EndpointQuery = z.output<typeof EndpointQuery>;

const MAX_OVERLAP_SECONDS = 30 * 86_400;

export const SecretRotation = z
  .strictObject({
    overlapSeconds: z
      .number()
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .meta({ description: 'how long the secrets before it sign beside the new one; 0: not at all' })
      .default(86_400),
  })
  .prefault({});
