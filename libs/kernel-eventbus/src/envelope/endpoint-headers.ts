import { SecretAlias } from '@kernel/secrets';
import { z } from 'zod';

/** What goes out with every webhook of an endpoint besides our own headers; what may be in it is vetted where it is set. */
export const EndpointHeaders = z
  .record(
    z.string(),
    z.union([z.string(), z.strictObject({ secretAlias: SecretAlias })], {
      error: 'must be a text, or { "secretAlias": "..." } with the alias of a credential',
    }),
  )
  .meta({ description: 'sent with every attempt; a credential goes in as { secretAlias } only' });
