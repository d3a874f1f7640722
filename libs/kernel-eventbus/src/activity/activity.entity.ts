import { defineEntity, p } from '@mikro-orm/core';

/**
 * Activity within one time step. The nil id stands for all tenants, and for all endpoints of a tenant. Only
 * `activity.sql.ts` writes this table.
 */
export const ActivityEntity = defineEntity({
  name: 'Activity',
  tableName: 'kernel_activity',
  indexes: [{ name: 'kernel_activity_age_idx', properties: ['stepSeconds', 'startsAt'] }],
  properties: {
    tenantId: p.uuid().primary(),
    endpointId: p.uuid().primary(),
    stepSeconds: p.integer().primary(),
    startsAt: p.datetime().columnType('timestamptz').primary(),
    published: p.bigint('number'),
    delivered: p.bigint('number'),
    failedAttempts: p.bigint('number'),
    deadLettered: p.bigint('number'),
    /** Deliveries by response time of their endpoint, in the buckets of `latency-histogram.ts`. */
    latencyCounts: p.array<number>().columnType('int[]'),
  },
});
