import { defineEntity, p } from '@mikro-orm/core';

/** The last sequence number of each stream; advanced only by `events.sql.ts`. */
export const StreamEntity = defineEntity({
  name: 'Stream',
  tableName: 'kernel_stream',
  properties: {
    tenantId: p.uuid().primary(),
    streamKey: p.text().primary(),
    lastSequence: p.bigint('number'),
  },
});
