import { defineEntity, p } from '@mikro-orm/core';

/** Events processed by handlers; written in the handler's transaction. */
export const ProcessedEventEntity = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'kernel_processed_event',
  properties: {
    handler: p.text().primary(),
    eventId: p.uuid().primary(),
    processedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
