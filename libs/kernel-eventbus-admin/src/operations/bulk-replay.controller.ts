import { Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ReplayService } from '@kernel/eventbus';
import { Exchange } from '@kernel/runtime';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, HttpExchange, Principal } from '../access/input.js';
import { answerStarted } from './answer-started.js';
import { BulkReplayRequest, OperationStartedResponse } from './operation.dto.js';

@AdminController('deliveries')
export class BulkReplayController {
  constructor(private readonly replays: ReplayService) {}

  /** Replays every finished delivery that the filter selects. */
  @Post('replay')
  @ApiOperation({ summary: 'Replay the deliveries that match a filter' })
  @ZodResponse({ status: 202, type: OperationStartedResponse })
  @ApiOkResponse({ description: 'after a dry run: the count', type: OperationStartedResponse })
  async replay(
    @Principal() principal: AdminPrincipal,
    @Body() request: BulkReplayRequest,
    @HttpExchange() exchange: Exchange,
  ) {
    principal.scopeTo(request.filter.tenantId);
    return answerStarted(await this.replays.replayMatching(principal.caller, request), exchange);
  }
}
