import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { OperationKind, OperationState, ReplayFilter } from './operation.js';

/** Read model; the `*.sql.ts` files in this folder write it. */
export const OperationEntity = defineEntity({
  name: 'Operation',
  tableName: 'kernel_operation',
  indexes: [
    { name: 'kernel_operation_open_idx', properties: ['nextBatchAt'], where: "state in ('pending', 'running')" },
    { name: 'kernel_operation_tenant_idx', properties: ['tenantId', 'operationId'] },
  ],
  checks: [
    { name: 'kernel_operation_kind_check', expression: "kind in ('replay', 'recover', 'replay-missing')" },
    {
      name: 'kernel_operation_state_check',
      expression: "state in ('pending', 'running', 'completed', 'cancelled', 'failed')",
    },
  ],
  properties: {
    operationId: p.uuid().primary(),
    kind: p.text().$type<OperationKind>(),
    /** The tenant whose deliveries are affected; null for all tenants. */
    tenantId: p.uuid().nullable(),
    endpointId: p.uuid().nullable(),
    filter: p.json<ReplayFilter>().defaultRaw(`'{}'`),
    reason: p.text(),
    actor: p.text(),
    traceId: p.text(),
    state: p.text().$type<OperationState>().default('pending'),
    /** Count at the time of the request. */
    total: p.integer(),
    done: p.integer().default(0),
    /** Counted deliveries that were no longer eligible when their batch ran. */
    failed: p.integer().default(0),
    /** Where it continues: after this delivery, or after the event with this time and id. */
    cursorAt: p.datetime().columnType('timestamptz').nullable(),
    cursorId: p.uuid().nullable(),
    nextBatchAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    /** Consecutive failed batches. */
    faults: p.integer().default(0),
    lastError: p.text().nullable(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    startedAt: p.datetime().columnType('timestamptz').nullable(),
    finishedAt: p.datetime().columnType('timestamptz').nullable(),
  },
});
export type OperationRow = InferEntity<typeof OperationEntity>;
