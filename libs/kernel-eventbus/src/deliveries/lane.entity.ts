import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One stream on its way to one ordered endpoint. For reads; changed by the statements of this folder. */
export const LaneEntity = defineEntity({
  name: 'Lane',
  tableName: 'kernel_lane',
  uniques: [{ name: 'kernel_lane_endpoint_stream_key', properties: ['endpointId', 'tenantId', 'streamKey'] }],
  indexes: [
    {
      name: 'kernel_lane_ready_idx',
      properties: ['tenantId', 'endpointId', 'readyAt'],
      where: 'ready_at is not null and blocked_by is null and not is_parked and not is_suspect',
    },
    {
      name: 'kernel_lane_due_idx',
      properties: ['readyAt'],
      where: 'ready_at is not null and blocked_by is null and not is_parked and not is_suspect and wake_count >= 0',
    },
    { name: 'kernel_lane_suspect_idx', properties: ['readyAt'], where: 'is_suspect' },
    { name: 'kernel_lane_blocked_idx', properties: ['tenantId', 'blockedAt'], where: 'blocked_by is not null' },
  ],
  properties: {
    laneId: p.uuid().primary(),
    tenantId: p.uuid(),
    endpointId: p.uuid(),
    streamKey: p.text(),
    /** The last one routed into it, and the one before that. */
    lastSequence: p.bigint('number'),
    previousSequence: p.bigint('number').nullable(),
    /** Null: nothing waits in it. */
    readyAt: p.datetime().columnType('timestamptz').nullable(),
    /** Grows with everything that comes in, so that a worker that lets go of it notices. */
    wakeCount: p.integer().default(0),
    /** The dead letter at its head. */
    blockedBy: p.uuid().nullable(),
    blockedAt: p.datetime().columnType('timestamptz').nullable(),
    isParked: p.boolean().default(false),
    /** A worker crashed while its head was in flight: its head is tried in a small group. */
    isSuspect: p.boolean().default(false),
    leaseUntil: p.datetime().columnType('timestamptz').nullable(),
    leaseEpoch: p.integer().default(0),
    leasedBy: p.text().nullable(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type LaneRow = InferEntity<typeof LaneEntity>;
