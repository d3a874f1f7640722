import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import { OperationService, currentTraceId, newTraceId } from '@kernel/eventbus';
import { OperationEntity } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Params, Principal, Query } from '../access/input.js';
import { TenantScope } from '../access/tenant-scope.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { defined } from '../paging/defined.js';
import { toPage } from '../paging/page.js';
import { IdParams } from '../request-fields.js';
import { OperationResponse, OperationPage, OperationQuery, toOperationResponse } from './operation.dto.js';

@AdminController('operations')
export class OperationsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly operations: OperationService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List operations, newest first' })
  @ZodResponse({ status: 200, type: OperationPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: OperationQuery) {
    const { tenantId, endpointId, state, limit, cursor } = query;
    const before = IdCursor.position(cursor);
    const conditions = defined({
      tenantId: principal.scopeTo(tenantId),
      endpointId,
      state,
      operationId: before && { $lt: before },
    });
    const options = { orderBy: { operationId: 'desc' }, limit: limit + 1 } as const;
    const rows = await this.scope.read(principal, (em) => em.find(OperationEntity, conditions, options));
    return toPage(rows, limit, {
      toItem: toOperationResponse,
      toCursor: ({ operationId }) => encodeCursor(operationId),
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an operation and its progress' })
  @ZodResponse({ status: 200, type: OperationResponse })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    const operation = await this.scope.read(principal, (em) => em.findOne(OperationEntity, { operationId: id }));
    if (!operation) {
      throw problems.notFound('operation');
    }
    return toOperationResponse(operation);
  }

  /** Queues nothing more; deliveries already queued are sent. */
  @Post(':id/cancel')
  @ApiOperation({ summary: 'Cancel an operation' })
  @ZodResponse({ status: 200, type: OperationResponse })
  async cancel(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    const by = {
      tenantId: principal.scopeTo(undefined),
      actor: principal.actor,
      traceId: currentTraceId() ?? newTraceId(),
    };
    const result = await this.scope.hold(principal, () => this.operations.cancel(id, by));
    switch (result.kind) {
      case 'cancelled':
        return toOperationResponse(result.operation);
      case 'not-found':
        throw problems.notFound('operation');
      case 'ended':
        throw problems.conflict(`this operation is ${result.state}: only one that is under way can be cancelled`);
    }
  }
}
