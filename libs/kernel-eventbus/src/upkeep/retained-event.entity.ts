import { defineEntity, p } from '@mikro-orm/core';

/**
 * Envelopes kept beyond their partition for deliveries that may still be sent. Written only by `upkeep/`, never
 * updated.
 */
export const RetainedEventEntity = defineEntity({
  name: 'RetainedEvent',
  tableName: 'kernel_retained_event',
  properties: {
    eventId: p.uuid().primary(),
    tenantId: p.uuid(),
    streamKey: p.text(),
    streamSequence: p.bigint('number').nullable(),
    type: p.text(),
    occurredAt: p.datetime().columnType('timestamptz'),
    traceId: p.text(),
    actorId: p.uuid().nullable(),
    payload: p.json<Record<string, unknown>>().fieldName('payload_jsonb'),
    payloadHash: p.text(),
    aggregateType: p.text().nullable(),
    aggregateId: p.text().nullable(),
    attributes: p.json<Record<string, unknown>>(),
    createdAt: p.datetime().columnType('timestamptz'),
    publishedAt: p.datetime().columnType('timestamptz').nullable(),
    traceParent: p.text().nullable(),
    traceState: p.text().nullable(),
    retainedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
