import { defineEntity, p } from '@mikro-orm/core';

/** A process that routes and delivers. Its row goes when it stops, or when it falls silent. */
export const WorkerEntity = defineEntity({
  name: 'Worker',
  tableName: 'kernel_worker',
  properties: {
    workerId: p.text().primary(),
    startedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    heartbeatAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    /** Deliveries that it has begun to send, or is about to. Exact whenever requests take long. */
    inFlight: p.array<string>().columnType('uuid[]').defaultRaw("'{}'"),
  },
});
