import { defineEntity, p } from '@mikro-orm/core';

/** Which handler has processed which event; written in the transaction of the handler's own work. */
export const ProcessedEventEntity = defineEntity({
  name: 'ProcessedEvent',
  tableName: 'kernel_processed_event',
  properties: {
    handler: p.text().primary(),
    eventId: p.uuid().primary(),
    processedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
