import { defineEntity, p } from '@mikro-orm/core';

/** The last number given in each stream; advanced by `insert-events.sql.ts` alone. */
export const StreamEntity = defineEntity({
  name: 'Stream',
  tableName: 'kernel_stream',
  properties: {
    tenantId: p.uuid().primary(),
    streamKey: p.text().primary(),
    lastSequence: p.bigint('number'),
  },
});
