import { defineEntity, p } from '@mikro-orm/core';

/** One processed event of one inbox; written in the transaction of the effect. */
export const ProcessedEventEntity = defineEntity({
  name: 'InboxProcessedEvent',
  tableName: 'processed_event',
  indexes: [
    {
      name: 'processed_event_stream_idx',
      properties: ['inbox', 'tenantId', 'streamKey', 'sequence'],
      where: 'sequence is not null',
    },
    { name: 'processed_event_age_idx', properties: ['inbox', 'processedAt'] },
    { name: 'processed_event_gap_idx', properties: ['inbox', 'processedAt'], where: 'is_gap' },
  ],
  properties: {
    inbox: p.text().primary(),
    eventId: p.uuid().primary(),
    tenantId: p.uuid(),
    streamKey: p.text(),
    sequence: p.bigint('number').nullable(),
    previousSequence: p.bigint('number').nullable(),
    /** True if its predecessor was missing when it arrived. */
    isGap: p.boolean().default(false),
    processedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
