import { Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { EndpointService } from '@kernel/eventbus';
import { EndpointReader, EndpointRequests, PAGE_BYTES_NOTE } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { DryRunResponse, DryRunRequest } from './dry-run.dto.js';
import { EndpointDryRun } from './endpoint-dry-run.js';
import {
  EndpointResponse,
  EndpointChanges,
  EndpointPage,
  EndpointQuery,
  EndpointWithSecret,
  NewEndpoint,
  PingResponse,
} from './endpoint.dto.js';

@AdminController('endpoints')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly requests: EndpointRequests,
    private readonly reader: EndpointReader,
    private readonly dryRuns: EndpointDryRun,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an endpoint' })
  @ZodResponse({ status: 201, type: EndpointWithSecret })
  create(@Principal() principal: AdminPrincipal, @Body() body: NewEndpoint) {
    principal.scopeTo(body.tenantId);
    return this.requests.create(principal, body);
  }

  @Get()
  @ApiOperation({ summary: 'List endpoints, newest first', description: PAGE_BYTES_NOTE })
  @ZodResponse({ status: 200, type: EndpointPage })
  list(@Principal() principal: AdminPrincipal, @Query() query: EndpointQuery) {
    principal.scopeTo(query.tenantId);
    return this.endpoints.list(principal.caller, query);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an endpoint' })
  @ZodResponse({ status: 200, type: EndpointResponse })
  get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return this.endpoints.find(principal.caller, id);
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change settings of an endpoint' })
  @ZodResponse({ status: 200, type: EndpointWithSecret })
  update(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() changes: EndpointChanges) {
    return this.requests.update(principal, id, changes);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete an endpoint' })
  @HttpCode(204)
  @ApiNoContentResponse({
    description: 'its open deliveries are in the DLQ, its history stays; also when it was deleted before',
  })
  async remove(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    await this.endpoints.delete(principal.caller, id);
  }

  @Post(':id/test')
  @ApiOperation({ summary: 'Send a test webhook to an endpoint' })
  @ZodResponse({ status: 200, type: PingResponse })
  test(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return this.endpoints.test(principal.caller, id);
  }

  /** Recent events of the tenant that the endpoint's subscriptions would match. */
  @Post(':id/dry-run')
  @ApiOperation({ summary: "Try an endpoint's subscriptions on recent events" })
  @ZodResponse({ status: 200, type: DryRunResponse })
  async dryRun(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() { since }: DryRunRequest) {
    return this.dryRuns.run(principal, await this.reader.find(principal, id), since);
  }
}
