import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import {
  BulkReplayRequest as BulkReplayRequestSchema,
  EndpointOperationRequest as EndpointOperationRequestSchema,
  Id,
  IdCursor,
  Limit,
  OperationKind,
  type OperationRow,
  OperationState,
} from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';
import { TextOrNull } from '../text-or-null.js';

export class EndpointOperationRequest extends createZodDto(EndpointOperationRequestSchema) {}

export class BulkReplayRequest extends createZodDto(BulkReplayRequestSchema) {}

export class OperationStartedResponse extends createZodDto(
  z.object({
    operationId: z.guid().optional().meta({ description: 'with 202: it is under way, see GET /operations/:id' }),
    count: z.number().int().optional().meta({ description: 'with 200, after a dry run: deliveries it would be about' }),
  }),
) {}

export class OperationQuery extends createZodDto(
  z.strictObject({
    tenantId: Id.optional(),
    endpointId: Id.optional(),
    state: OperationState.optional(),
    limit: Limit,
    cursor: IdCursor.schema.optional(),
  }),
) {}

const Operation = z.object({
  operationId: z.guid(),
  kind: OperationKind,
  state: OperationState,
  total: z.number().int().meta({ description: 'deliveries that were counted when it was ordered' }),
  done: z.number().int(),
  failed: z.number().int().meta({ description: 'counted, and no longer to be had when it was their turn' }),
  tenantId: z.guid().nullable(),
  endpointId: z.guid().nullable(),
  filter: z.record(z.string(), z.any()),
  actor: z.string(),
  reason: z.string(),
  traceId: z.string(),
  lastError: TextOrNull,
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
});

export class OperationResponse extends createZodDto(Operation) {}

export class OperationPage extends createZodDto(pageSchema(Operation)) {}

export function toOperationResponse(row: OperationRow): z.input<typeof Operation> {
  const { operationId, kind, state, total, done, failed, filter, actor, reason, traceId } = row;
  return {
    ...{ operationId, kind, state, total, done, failed, filter: { ...filter }, actor, reason, traceId },
    tenantId: row.tenantId ?? null,
    endpointId: row.endpointId ?? null,
    lastError: row.lastError ?? null,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
