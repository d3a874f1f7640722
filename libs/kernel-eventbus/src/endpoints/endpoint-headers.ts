import { SecretAlias } from '@kernel/secrets';
import { z } from 'zod';

/** Headers sent with every webhook of an endpoint besides the kernel's own; vetted when they are set. */
export const EndpointHeaders = z
  .record(
    z.string(),
    z.union([z.string(), z.strictObject({ secretAlias: SecretAlias })], {
      error: 'must be a text, or { "secretAlias": "..." } with the alias of a credential',
    }),
  )
  .meta({ description: 'sent with every attempt; a credential goes in as { secretAlias } only' });
