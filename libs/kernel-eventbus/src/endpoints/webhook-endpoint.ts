import { SecretAlias } from '@kernel/secrets';
import { z } from 'zod';
import { EndpointHeaders } from './endpoint-headers.js';
import { Subscriptions } from './subscription.js';

/** KER-3.2: a destination of events. The signing secret is referenced only by its alias. */
export const WebhookEndpoint = z.object({
  tenantId: z.guid(),
  endpointId: z.guid(),
  name: z.string().min(1).max(120).nullish(),
  // Not `z.url()`, which strips spaces and line breaks; the guard has to refuse them.
  url: z
    .string()
    .max(2048)
    .refine((text) => URL.canParse(text), 'is not a URL: write it like https://example.com/webhooks')
    .meta({ format: 'uri' }),
  subscribedTypes: z.array(z.string().min(1).max(160)).min(1),
  subscriptions: Subscriptions.default([]),
  signingSecretAlias: SecretAlias,
  signature: z
    .enum(['v1', 'v1a'])
    .meta({ description: 'v1: HMAC with a shared secret; v1a: ed25519, verified with the public key' })
    .default('v1'),
  headers: EndpointHeaders.default({}),
  isEnabled: z.boolean().default(true),
  isExternal: z.boolean().default(true),
  ordering: z
    .enum(['none', 'stream'])
    .meta({ description: 'stream: the events of a stream strictly one after the other' })
    .default('none'),
  onDeadLetter: z
    .enum(['block', 'skip'])
    .meta({ description: 'what the lane of an ordered endpoint does when its head lands in the DLQ' })
    .default('block'),
  maxInFlight: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .meta({ description: 'deliveries in flight in each worker process; null: perEndpointConcurrency of the options' })
    .default(null),
  dispatcher: z
    .string()
    .min(1)
    .max(120)
    .nullable()
    .meta({ description: 'by which way it is reached; null: the default of the application' })
    .default(null),
  retry: z
    .strictObject({
      maxAttempts: z.number().int().min(1).max(100).optional(),
      initialDelayMs: z.number().int().min(1).max(86_400_000).optional(),
      maxDelayMs: z.number().int().min(1).max(86_400_000).optional(),
    })
    .nullable()
    .meta({ description: 'where its retries differ from those of the application' })
    .default(null),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(300_000)
    .nullable()
    .meta({ description: 'one deadline per attempt; null: the default of the application' })
    .default(null),
  createdAt: z.iso.datetime(),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;
