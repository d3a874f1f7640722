import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { cursorOf, Limit } from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';

export const NameCursor = cursorOf(z.tuple([z.string().min(1)]).transform(([name]) => name));

export class PartitionQuery extends createZodDto(
  z.strictObject({ limit: Limit, cursor: NameCursor.schema.optional() }),
) {}

const bounds = {
  name: z.string(),
  from: z.iso.datetime().nullable().meta({ description: 'events whose ids were made then or later' }),
  to: z.iso.datetime().nullable().meta({ description: 'and before then' }),
};

const Partition = z.object({
  ...bounds,
  state: z.enum(['ahead', 'current', 'past', 'expired', 'default']).meta({
    description:
      'expired: goes with the next round, unless something in it is needed; default: takes what fits nowhere else',
  }),
  estimatedEvents: z.number().int().nullable().meta({ description: 'by the last estimate of PostgreSQL, if any' }),
  bytes: z.number().int().meta({ description: 'with its indexes' }),
});
export type Partition = z.input<typeof Partition>;

export class PartitionPage extends createZodDto(pageSchema(Partition)) {}

export class PruneRequest extends createZodDto(
  z
    .strictObject({
      dryRun: z.boolean().optional().meta({ description: 'true says what would go and removes nothing' }),
    })
    .prefault({}),
) {}

const PrunedPartition = z.object({
  ...bounds,
  outcome: z.enum(['dropped', 'absent', 'needed', 'locked', 'expired']).meta({
    description:
      'needed: something in it is pending or young; locked: the outbox was in use for too long; expired: a dry run would drop it',
  }),
  events: z.number().int(),
  pending: z.number().int(),
  retained: z.number().int().meta({ description: 'envelopes that are kept, because a delivery may still be sent' }),
});

export class PruneResponse extends createZodDto(
  z.object({
    dryRun: z.boolean(),
    partitions: z.array(PrunedPartition),
    deliveries: z.object({ delivered: z.number().int(), deadLetters: z.number().int() }),
    defaultEvents: z.number().int().meta({ description: 'events of the default partition, which is never dropped' }),
    isComplete: z.boolean().meta({ description: 'false: there may be more; ask again, or leave it to the schedule' }),
  }),
) {}

/** Null for an open bound. */
export function toBounds({ name, fromMs, toMs }: { name: string; fromMs: number; toMs: number }) {
  return { name, from: toInstant(fromMs), to: toInstant(toMs) };
}

function toInstant(timeMs: number): string | null {
  return timeMs > 0 && timeMs < 2 ** 47 ? new Date(timeMs).toISOString() : null;
}
