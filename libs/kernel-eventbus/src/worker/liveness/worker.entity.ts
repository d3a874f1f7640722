import { defineEntity, p } from '@mikro-orm/core';

/** A process that routes and delivers. Its row is removed when it stops or is declared dead. */
export const WorkerEntity = defineEntity({
  name: 'Worker',
  tableName: 'kernel_worker',
  properties: {
    workerId: p.text().primary(),
    startedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    heartbeatAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    /** Deliveries being sent or about to be. Exact for requests that take long. */
    inFlight: p.array<string>().columnType('uuid[]').defaultRaw("'{}'"),
  },
});
