import { CHANGING_ACTIONS, PolicyRules, REMOVED_REASONS } from '@kernel/privacy';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '@kernel/eventbus/engine';
import { JsonObject } from '../json-object.js';
import { CUT_NOTE } from '../listed-paths.js';

export class PolicyToTry extends createZodDto(
  z
    .strictObject({
      tenantId: Id.optional().meta({ description: 'whose key hashes are made with; with eventId, that of the event' }),
      rules: PolicyRules,
      payload: JsonObject.optional(),
      eventId: Id.optional().meta({ description: 'of an event whose payload is to be tried instead' }),
    })
    .refine(({ payload, eventId }) => (payload === undefined) !== (eventId === undefined), {
      error: 'give either payload or eventId',
      path: ['payload'],
    }),
) {}

export class PolicyPreviewResponse extends createZodDto(
  z.object({
    body: z.string().meta({ description: 'the payload as it would go out, as JSON' }),
    removed: z.array(z.object({ path: z.string(), why: z.enum([...REMOVED_REASONS, 'not-kept']) })),
    changed: z.array(z.object({ path: z.string(), action: z.enum(CHANGING_ACTIONS) })),
    kept: z.array(z.string()).meta({ description: 'paths that go out as they are' }),
    isCut: z.literal(true).optional().meta({ description: CUT_NOTE }),
  }),
) {}
