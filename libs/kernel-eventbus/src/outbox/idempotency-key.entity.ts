import { defineEntity, p } from '@mikro-orm/core';

/** KFM-5. Written only inside `publish`, by `idempotency-keys.sql.ts`; removed after the window. */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'kernel_idempotency_key',
  indexes: [
    { name: 'kernel_idempotency_key_event_idx', properties: ['eventId'] },
    { name: 'kernel_idempotency_key_created_idx', properties: ['createdAt'] },
  ],
  properties: {
    tenantId: p.uuid().primary(),
    key: p.text().primary(),
    eventId: p.uuid(),
    streamKey: p.text(),
    type: p.text(),
    occurredAt: p.datetime().columnType('timestamptz'),
    traceId: p.text(),
    actorId: p.uuid().nullable(),
    payloadHash: p.text(),
    attributesHash: p.text(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
