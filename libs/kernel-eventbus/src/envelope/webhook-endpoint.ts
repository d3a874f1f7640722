import { SecretAlias } from '@kernel/secrets';
import { z } from 'zod';

/** KER-3.2: where events go. The signing secret is known by its alias alone. */
export const WebhookEndpoint = z.object({
  tenantId: z.guid(),
  endpointId: z.guid(),
  name: z.string().min(1).max(120).nullish(),
  url: z.url().max(2048),
  subscribedTypes: z.array(z.string().min(1).max(160)).min(1),
  signingSecretAlias: SecretAlias,
  isEnabled: z.boolean().default(true),
  isExternal: z.boolean().default(true),
  createdAt: z.iso.datetime(),
});
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;
