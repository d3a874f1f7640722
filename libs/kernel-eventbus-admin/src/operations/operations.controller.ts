import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ReplayService } from '@kernel/eventbus';
import { OperationEntity, TenantScope, encodeCursor, IdCursor, defined, toPage } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { OperationResponse, OperationPage, OperationQuery, toOperationResponse } from './operation.dto.js';

@AdminController('operations')
export class OperationsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly replays: ReplayService,
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
    const rows = await this.scope.read(principal, (em) =>
      em.find(OperationEntity, conditions, { ...options, filters: false }),
    );
    return toPage(rows, limit, {
      toItem: toOperationResponse,
      toCursor: ({ operationId }) => encodeCursor(operationId),
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an operation and its progress' })
  @ZodResponse({ status: 200, type: OperationResponse })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return toOperationResponse(await this.replays.operation(principal.caller, id));
  }

  /** Queues nothing more; deliveries already queued are sent. */
  @Post(':id/cancel')
  @ApiOperation({ summary: 'Cancel an operation' })
  @ZodResponse({ status: 200, type: OperationResponse })
  async cancel(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return toOperationResponse(await this.replays.cancel(principal.caller, id));
  }
}
