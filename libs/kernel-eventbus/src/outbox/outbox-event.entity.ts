import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** KER-4.1, for reads. Written only by `events.sql.ts` and `routing/routed-events.sql.ts`. */
export const OutboxEventEntity = defineEntity({
  name: 'OutboxEvent',
  tableName: 'kernel_outbox_event',
  indexes: [
    { name: 'kernel_outbox_event_stream_idx', properties: ['tenantId', 'streamKey', 'occurredAt'] },
    { name: 'kernel_outbox_event_status_idx', properties: ['status', 'createdAt'] },
    { name: 'kernel_outbox_event_pending_idx', properties: ['tenantId', 'createdAt'], where: "status = 'PENDING'" },
    {
      name: 'kernel_outbox_event_unrouted_idx',
      properties: ['tenantId', 'streamKey', 'streamSequence'],
      where: "status = 'PENDING'",
    },
    {
      name: 'kernel_outbox_event_aggregate_idx',
      properties: ['tenantId', 'aggregateId', 'createdAt'],
      where: 'aggregate_id is not null',
    },
  ],
  checks: [{ name: 'kernel_outbox_event_status_check', expression: "status in ('PENDING', 'PUBLISHED')" }],
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
    attributes: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    status: p.text().$type<'PENDING' | 'PUBLISHED'>().default('PENDING'),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    traceParent: p.text().nullable(),
    publishedAt: p.datetime().columnType('timestamptz').nullable(),
    traceState: p.text().nullable(),
  },
});
export type OutboxEvent = InferEntity<typeof OutboxEventEntity>;
