import { Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ReplayService } from '@kernel/eventbus';
import { Exchange } from '@kernel/runtime';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, HttpExchange, Params, Principal } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { answerStarted } from './answer-started.js';
import { EndpointOperationRequest, OperationStartedResponse } from './operation.dto.js';

@AdminController('endpoints')
export class EndpointOperationsController {
  constructor(private readonly replays: ReplayService) {}

  /** Replays the endpoint's dead letters since the given time of dead-lettering. */
  @Post(':id/recover')
  @ApiOperation({ summary: 'Replay the dead letters of an endpoint' })
  @ZodResponse({ status: 202, type: OperationStartedResponse })
  @ApiOkResponse({ description: 'after a dry run: the count', type: OperationStartedResponse })
  async recover(
    @Principal() principal: AdminPrincipal,
    @Params() { id }: IdParams,
    @Body() request: EndpointOperationRequest,
    @HttpExchange() exchange: Exchange,
  ) {
    return answerStarted(await this.replays.recover(principal.caller, id, request), exchange);
  }

  /** Sends the events published since the given time that the endpoint subscribes to now and never got. */
  @Post(':id/replay-missing')
  @ApiOperation({ summary: 'Deliver events that an endpoint never got' })
  @ZodResponse({ status: 202, type: OperationStartedResponse })
  @ApiOkResponse({ description: 'after a dry run: the count', type: OperationStartedResponse })
  async replayMissing(
    @Principal() principal: AdminPrincipal,
    @Params() { id }: IdParams,
    @Body() request: EndpointOperationRequest,
    @HttpExchange() exchange: Exchange,
  ) {
    return answerStarted(await this.replays.replayMissing(principal.caller, id, request), exchange);
  }
}
