import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { TextOrNull } from '../text-or-null.js';

const Anchor = z.strictObject({
  batchNumber: z.number().int().min(1).max(2_147_483_647),
  seal: z.base64().min(1).max(200),
});

export class VerificationRequest extends createZodDto(
  z
    .strictObject({
      anchor: Anchor.optional().meta({
        description: 'a seal that was seen before, e.g. in a log or an export: the chain still has to lead through it',
      }),
    })
    .prefault({}),
) {}

export class VerificationResponse extends createZodDto(
  z.object({
    isIntact: z.boolean(),
    firstBroken: z
      .object({
        fault: z.enum(['altered', 'removed', 'inserted', 'reordered', 'seal-altered', 'seal-removed', 'head-altered']),
        batchNumber: z.number().int(),
        entryId: z.guid().nullable(),
      })
      .nullable(),
    verifiedBatches: z.number().int(),
    verifiedEntries: z.number().int(),
    unsealed: z.object({ entries: z.number().int(), since: TextOrNull }),
    head: z.object({ batchNumber: z.number().int(), seal: z.string() }).nullable(),
    publicKey: z.string(),
  }),
) {}
