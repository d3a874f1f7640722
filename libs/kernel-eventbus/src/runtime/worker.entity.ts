import { defineEntity, p } from '@mikro-orm/core';

/** A process that routes and delivers. Its row goes when it stops, or when it falls silent. */
export const WorkerEntity = defineEntity({
  name: 'Worker',
  tableName: 'kernel_worker',
  properties: {
    workerId: p.text().primary(),
    startedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    heartbeatAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
