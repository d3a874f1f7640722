import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { IdCursor, Limit, Id, Reason } from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';
import { MAX_WAITING, type ListedLane } from './select-lanes.sql.js';

export class LaneQuery extends createZodDto(
  z.strictObject({
    tenantId: Id.optional(),
    endpointId: Id.optional(),
    blocked: z.enum(['true', 'false']).optional(),
    limit: Limit,
    cursor: IdCursor.schema.optional(),
  }),
) {}

export class SkipRequest extends createZodDto(z.strictObject({ reason: Reason })) {}

const Lane = z.object({
  laneId: z.guid(),
  tenantId: z.guid(),
  endpointId: z.guid(),
  streamKey: z.string(),
  lastSequence: z.number().int().meta({ description: 'of the last event that was routed into it' }),
  isBlocked: z.boolean(),
  blockedAt: z.iso.datetime().nullable(),
  blockedBy: z.guid().nullable().meta({ description: 'the dead letter at its head: replay it, or skip it' }),
  isParked: z.boolean().meta({ description: 'waits until its endpoint is enabled again' }),
  readyAt: z.iso.datetime().nullable().meta({ description: 'when its head is due; null when nothing waits' }),
  waiting: z
    .number()
    .int()
    .meta({ description: `open deliveries in it, counted up to ${MAX_WAITING}` }),
});

export class LaneResponse extends createZodDto(Lane) {}

export class LanePage extends createZodDto(pageSchema(Lane)) {}

export function toLaneResponse({ lastSequence, blockedAt, readyAt, ...lane }: ListedLane): z.input<typeof Lane> {
  return {
    ...lane,
    lastSequence: Number(lastSequence),
    isBlocked: lane.blockedBy !== null,
    blockedAt: blockedAt && new Date(blockedAt).toISOString(),
    readyAt: readyAt && new Date(readyAt).toISOString(),
  };
}
