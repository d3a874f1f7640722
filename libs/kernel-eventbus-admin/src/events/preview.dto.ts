import { CHANGING_ACTIONS, REMOVED_REASONS } from '@kernel/privacy';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { MAX_PAGE_BYTES } from '@kernel/eventbus/engine';
import { CUT_NOTE } from '../listed-paths.js';
import { TextOrNull } from '../text-or-null.js';

const Removed = z.object({ path: z.string(), reason: z.enum([...REMOVED_REASONS, 'not-kept']) });

const AppliedPolicy = z.object({
  policyId: z.guid().nullable().meta({ description: 'null: not stored, but declared with the type' }),
  version: z.number().int().meta({ description: '0: declared with the type' }),
});

/** Limited because a body is built for each. */
export const PREVIEW_ENDPOINTS = 100;

/** Redacted bodies can be many times larger than the payload, and a preview is more useful complete than in pages. */
export const PREVIEW_BYTES = 8 * MAX_PAGE_BYTES;

export const PreviewItem = z.object({
  endpointId: z.guid(),
  name: TextOrNull,
  matches: z.boolean().meta({ description: 'whether routing would make a delivery for it now' }),
  reason: z.string().meta({
    description: 'matches, type not subscribed, the predicates that did not match, or endpoint disabled',
  }),
  body: z.string().meta({ description: 'exactly as it would be sent, also where it would not be' }),
  policy: AppliedPolicy.nullable().meta({
    description: 'null: the endpoint is internal and gets all, or there is no policy and it gets nothing',
  }),
  removed: z.array(Removed).meta({
    description:
      'no-rule: no rule covers it; drop: a rule says so; not-text: truncate is for text; not-number: coarsen is ' +
      'for numbers; wrong-shape: a rule leads on from there or from above, but expects an array, an object or either, and ' +
      'the payload has another; not-kept: the policy keeps no actorId',
  }),
  changed: z.array(z.object({ path: z.string(), action: z.enum(CHANGING_ACTIONS) })).meta({
    description: 'what goes out in another form',
  }),
  isCut: z.literal(true).optional().meta({ description: CUT_NOTE }),
});

export class PreviewResponse extends createZodDto(
  z.object({
    endpoints: z
      .number()
      .int()
      .meta({
        description: `endpoints of the tenant. The first ${PREVIEW_ENDPOINTS} are among the items: those that subscribe to the type, then the others, the newest first`,
      }),
    isCut: z
      .literal(true)
      .optional()
      .meta({ description: `true: the items are large (${PREVIEW_BYTES} bytes), and only the first are shown` }),
    items: z.array(PreviewItem),
  }),
) {}
