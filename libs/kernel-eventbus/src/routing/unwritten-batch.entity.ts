import { defineEntity, p } from '@mikro-orm/core';

/** Events that a worker has sent, or is about to, before their deliveries are written. Without its worker it tells what that had in hand. */
export const UnwrittenBatchEntity = defineEntity({
  name: 'UnwrittenBatch',
  tableName: 'kernel_unwritten_batch',
  properties: {
    batchId: p.uuid().primary(),
    workerId: p.text(),
    eventIds: p.array<string>().columnType('uuid[]'),
  },
});
