import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { EventEnvelope } from '@kernel/eventbus';
import { cursorOf, Limit, EventType, Id, Instant, StreamKey, TraceId } from '@kernel/eventbus/engine';
import { JsonObject } from '../json-object.js';
import { pageSchema } from '../page-schema.js';
import { TextOrNull } from '../text-or-null.js';
import type { StoredEvent } from './events.sql.js';

export const EventCursor = cursorOf(
  z
    .tuple([z.iso.datetime({ precision: 6 }).refine((text) => Instant.safeParse(text).success), Id])
    .transform(([createdAt, eventId]) => ({ createdAt, eventId })),
);

const EventStatus = z.enum(['PENDING', 'PUBLISHED']);

export class EventQuery extends createZodDto(
  z.strictObject({
    tenantId: Id.optional(),
    eventId: Id.optional(),
    status: EventStatus.optional(),
    type: EventType.optional(),
    streamKey: StreamKey.optional(),
    traceId: TraceId.optional(),
    since: Instant.optional(),
    until: Instant.optional(),
    limit: Limit,
    cursor: EventCursor.schema.optional(),
  }),
) {}

const Event = EventEnvelope.extend({
  payload: JsonObject,
  status: EventStatus,
  createdAt: z.iso.datetime(),
  publishedAt: z.iso.datetime().nullable(),
  payloadHash: z.string(),
  aggregateType: TextOrNull,
  aggregateId: TextOrNull,
  attributes: z.record(z.string(), z.any()),
});

export class EventResponse extends createZodDto(Event) {}

export class EventPage extends createZodDto(pageSchema(Event)) {}

export function toEventResponse(event: StoredEvent): z.input<typeof Event> {
  return {
    eventId: event.eventId,
    tenantId: event.tenantId,
    streamKey: event.streamKey,
    type: event.type,
    occurredAt: toIso(event.occurredAt),
    traceId: event.traceId,
    ...(event.actorId && { actorId: event.actorId }),
    payload: JSON.parse(event.payloadJson) as Record<string, unknown>,
    status: event.status,
    createdAt: toIso(event.createdAt),
    publishedAt: event.publishedAt && toIso(event.publishedAt),
    payloadHash: event.payloadHash,
    aggregateType: event.aggregateType,
    aggregateId: event.aggregateId,
    attributes: JSON.parse(event.attributesJson) as Record<string, unknown>,
  };
}

function toIso(timestamp: string): string {
  return new Date(timestamp).toISOString();
}
