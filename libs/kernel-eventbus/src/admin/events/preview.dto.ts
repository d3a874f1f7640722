import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** A body is built for each, so their number has an end. */
export const PREVIEW_ENDPOINTS = 100;

export class PreviewAnswer extends createZodDto(
  z.object({
    endpoints: z
      .number()
      .int()
      .meta({
        description: `endpoints of the tenant. The first ${PREVIEW_ENDPOINTS} are among the items: those that subscribe to the type, then the others, the newest first`,
      }),
    items: z.array(
      z.object({
        endpointId: z.guid(),
        name: z.string().nullable(),
        matches: z.boolean().meta({ description: 'whether routing would make a delivery for it now' }),
        reason: z.string().meta({
          description: 'matches, type not subscribed, the predicates that did not match, or endpoint disabled',
        }),
        body: z.string().meta({ description: 'exactly as it would be sent, also where it would not be' }),
        removed: z.array(z.object({ path: z.string(), reason: z.enum(['no-rule', 'drop', 'not-kept']) })).meta({
          description: 'no-rule: no rule covers it; drop: a rule says so; not-kept: the policy keeps no actorId',
        }),
      }),
    ),
  }),
) {}
