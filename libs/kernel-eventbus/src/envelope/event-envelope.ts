import { z } from 'zod';

/** KER-3.1: the event envelope. Types, validation, DTOs and OpenAPI are derived from it. */
export const EventEnvelope = z.object({
  eventId: z.guid(),
  tenantId: z.guid(),
  streamKey: z.string().min(1).max(120),
  type: z.string().min(1).max(160),
  occurredAt: z.iso.datetime(),
  traceId: z.string().min(8),
  actorId: z.guid().optional(),
  payload: z.record(z.string(), z.any()),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;
