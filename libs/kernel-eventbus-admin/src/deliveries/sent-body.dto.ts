import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { TextOrNull } from '../text-or-null.js';

export class SentBodyQuery extends createZodDto(
  z.strictObject({
    attempt: z.coerce
      .number({ error: 'give one whole number from 1 on' })
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .meta({ description: 'left out: the last one; after a replay, attempts count anew and the latest is meant' }),
    bodySha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'give the bodySha256 of an attempt as it is')
      .optional()
      .meta({ description: 'of the attempt that is meant, where a replay made another of the same number' }),
  }),
) {}

export class SentBodyResponse extends createZodDto(
  z.object({
    attempt: z.number().int(),
    policyVersion: z.number().int().nullable(),
    bodySha256: TextOrNull.meta({ description: 'of what was sent' }),
    renderedSha256: TextOrNull,
    matches: z.boolean().meta({ description: 'true: the body is, byte for byte, what was sent' }),
    body: TextOrNull,
    reason: TextOrNull.meta({ description: 'why there is no body, or why it does not match' }),
  }),
) {}
