import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Subscriptions, Instant, SubscribedTypes, TenantId } from '@kernel/eventbus/engine';

/** Limited because each payload is read. */
export const DRY_RUN_EVENTS = 200;

export class DryRunRequest extends createZodDto(
  z
    .strictObject({
      since: Instant.optional().meta({
        description: `only events created then or later; of those the ${DRY_RUN_EVENTS} most recent are tried`,
      }),
    })
    .prefault({}),
) {}

/** An endpoint's settings before they are saved. */
export class DraftToTry extends createZodDto(
  z.strictObject({
    tenantId: TenantId,
    subscribedTypes: SubscribedTypes,
    subscriptions: Subscriptions.default([]),
    since: Instant.optional(),
  }),
) {}

export class DryRunResponse extends createZodDto(
  z.object({
    checked: z
      .number()
      .int()
      .meta({ description: `events of the tenant that were tried: the most recent, at most ${DRY_RUN_EVENTS}` }),
    matched: z.number().int(),
    items: z.array(
      z.object({
        eventId: z.guid(),
        type: z.string(),
        createdAt: z.iso.datetime(),
        matches: z.boolean(),
        reason: z.string().meta({ description: 'matches, type not subscribed, or the predicates that did not match' }),
      }),
    ),
  }),
) {}
