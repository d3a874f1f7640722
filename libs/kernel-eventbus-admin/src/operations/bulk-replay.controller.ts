import { Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import { ZodResponse } from 'nestjs-zod';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Principal } from '../access/input.js';
import { defined } from '../paging/defined.js';
import { OperationRequests } from './operation-requests.js';
import { BulkReplayRequest, OperationStartedResponse } from './operation.dto.js';

@AdminController('deliveries')
export class BulkReplayController {
  constructor(private readonly requests: OperationRequests) {}

  /** Replays every finished delivery that the filter selects. */
  @Post('replay')
  @ApiOperation({ summary: 'Replay the deliveries that match a filter' })
  @ZodResponse({ status: 202, type: OperationStartedResponse })
  @ApiOkResponse({ description: 'after a dry run: the count', type: OperationStartedResponse })
  replay(
    @Principal() principal: AdminPrincipal,
    @Body() { filter: wanted, ...request }: BulkReplayRequest,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { tenantId, endpointId, all: _, ...conditions } = wanted;
    const filter = defined(conditions);
    return this.requests.start(principal, { kind: 'replay', tenantId, endpointId, filter, ...request }, response);
  }
}
