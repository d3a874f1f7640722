import { defineEntity, p } from '@mikro-orm/core';

/**
 * Events that a worker has sent, or is about to, before their deliveries are written. If that comes to nothing, whoever routes them next
 * sends the same bytes; and if the worker is gone, it is known what it had in hand.
 */
export const UnwrittenBatchEntity = defineEntity({
  name: 'UnwrittenBatch',
  tableName: 'kernel_unwritten_batch',
  properties: {
    batchId: p.uuid().primary(),
    /** Null: it has stopped by itself. */
    workerId: p.text().nullable(),
    eventIds: p.array<string>().columnType('uuid[]'),
    dispatchedAt: p.array<string>().columnType('timestamptz[]'),
  },
});
