import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { DeliveryStatus } from './webhook-delivery.js';

/** KER-4.3, for reads. Its state is changed by hand-written statements alone, each fenced by lease or status. */
export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'kernel_webhook_delivery',
  uniques: [{ name: 'kernel_webhook_delivery_endpoint_event_key', properties: ['endpointId', 'eventId'] }],
  indexes: [
    {
      name: 'kernel_webhook_delivery_due_idx',
      properties: ['status', 'tenantId', 'endpointId', 'nextAttemptAt'],
      where: "status in ('PENDING', 'FAILED') and not is_parked and lane_id is null and not is_suspect",
    },
    {
      name: 'kernel_webhook_delivery_retry_idx',
      properties: ['nextAttemptAt'],
      where: "status = 'FAILED' and not is_parked and lane_id is null and not is_suspect and attempts >= 0",
    },
    {
      name: 'kernel_webhook_delivery_lane_idx',
      properties: ['laneId', 'streamSequence'],
      where: "status in ('PENDING', 'FAILED') and lane_id is not null",
    },
    {
      name: 'kernel_webhook_delivery_suspect_idx',
      properties: ['nextAttemptAt'],
      where: "is_suspect and status in ('PENDING', 'FAILED') and not is_parked and lane_id is null",
    },
    { name: 'kernel_webhook_delivery_open_idx', properties: ['endpointId'], where: "status in ('PENDING', 'FAILED')" },
    { name: 'kernel_webhook_delivery_event_idx', properties: ['eventId'] },
    { name: 'kernel_webhook_delivery_tenant_idx', properties: ['tenantId', 'deliveryId'] },
    { name: 'kernel_webhook_delivery_dead_idx', properties: ['tenantId', 'deliveryId'], where: "status = 'DLQ'" },
  ],
  checks: [
    {
      name: 'kernel_webhook_delivery_status_check',
      expression: "status in ('PENDING', 'DELIVERED', 'FAILED', 'DLQ')",
    },
    {
      name: 'kernel_webhook_delivery_lease_check',
      expression: "leased_by is null or status in ('PENDING', 'FAILED')",
    },
  ],
  properties: {
    deliveryId: p.uuid().primary(),
    tenantId: p.uuid(),
    endpointId: p.uuid(),
    eventId: p.uuid(),
    eventType: p.text(),
    streamKey: p.text().nullable(),
    streamSequence: p.bigint('number').nullable(),
    previousSequence: p.bigint('number').nullable(),
    laneId: p.uuid().nullable(),
    status: p.text().$type<DeliveryStatus>().default('PENDING'),
    attempts: p.integer().default(0),
    lastStatusCode: p.integer().nullable(),
    traceId: p.text(),
    nextAttemptAt: p.datetime().columnType('timestamptz').nullable(),
    lastErrorRef: p.text().nullable(),
    errorClass: p.text().nullable(),
    lastError: p.text().nullable(),
    lastErrorAt: p.datetime().columnType('timestamptz').nullable(),
    deadLetterReason: p.text().nullable(),
    isParked: p.boolean().default(false),
    /** A worker crashed while this was in flight: it is tried in a small group until an outcome is recorded. */
    isSuspect: p.boolean().default(false),
    /** How often a worker crashed while this was in flight. The more, the smaller the group. */
    crashes: p.integer().default(0),
    /** How often in a row a worker crashed while this was the only suspect in flight. */
    soloCrashes: p.integer().fieldName('lonely_deaths').default(0),
    replayCount: p.integer().default(0),
    leaseUntil: p.datetime().columnType('timestamptz').nullable(),
    leaseEpoch: p.integer().default(0),
    leasedBy: p.text().nullable(),
    dispatchedAt: p.datetime().columnType('timestamptz'),
    settledAt: p.datetime().columnType('timestamptz').nullable(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type WebhookDeliveryRow = InferEntity<typeof WebhookDeliveryEntity>;
