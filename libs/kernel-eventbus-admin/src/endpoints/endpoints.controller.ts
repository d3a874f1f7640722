import { Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import { HANDLER_DISPATCHER, type WebhookEndpointRow } from '@kernel/eventbus/engine';
import { WebhookEndpointEntity } from '@kernel/eventbus';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { TenantScope } from '../access/tenant-scope.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { defined } from '../paging/defined.js';
import { findPageIds } from '../paging/find-page-ids.js';
import { toCutPage } from '../paging/page.js';
import { PAGE_BYTES_NOTE } from '../paging/page-bytes.js';
import { IdParams } from '../request-fields.js';
import { refuseHandler } from './refuse-handler.js';
import { DryRunResponse, DryRunRequest } from './dry-run.dto.js';
import { EndpointDestinationCheck, type EndpointPlace } from './endpoint-destination-check.js';
import { EndpointDryRun } from './endpoint-dry-run.js';
import { withCircuits } from './endpoint-circuit.js';
import { EndpointEditor } from './endpoint-editor.js';
import { EndpointPinger } from './endpoint-pinger.js';
import { isUrlSetByOperator } from './url-set-by-operator.js';
import {
  EndpointResponse,
  EndpointChanges,
  EndpointPage,
  EndpointQuery,
  EndpointWithSecret,
  NewEndpoint,
  PingResponse,
  toEndpointResponse,
} from './endpoint.dto.js';

@AdminController('endpoints')
export class EndpointsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly editor: EndpointEditor,
    private readonly destinationCheck: EndpointDestinationCheck,
    private readonly pinger: EndpointPinger,
    private readonly dryRuns: EndpointDryRun,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an endpoint' })
  @ZodResponse({ status: 201, type: EndpointWithSecret })
  async create(@Principal() principal: AdminPrincipal, @Body() body: NewEndpoint) {
    principal.scopeTo(body.tenantId);
    principal.refuseInternal(body.isExternal);
    await this.destinationCheck.vet({ ...body, urlSetByOperator: isUrlSetByOperator(principal, body) }, body);
    const { row, shown } = await this.editor.create(principal, body);
    return { ...toEndpointResponse(row), ...shown };
  }

  @Get()
  @ApiOperation({ summary: 'List endpoints, newest first', description: PAGE_BYTES_NOTE })
  @ZodResponse({ status: 200, type: EndpointPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { tenantId, limit, cursor }: EndpointQuery) {
    const before = IdCursor.position(cursor);
    const conditions = defined({
      deletedAt: null,
      // Application handlers are endpoints only inside the engine.
      $or: [{ dispatcher: null }, { dispatcher: { $ne: HANDLER_DISPATCHER } }],
      tenantId: principal.scopeTo(tenantId),
      endpointId: before && { $lt: before },
    });
    const page = await this.scope.read(principal, async (em) => {
      const { ids, isMore } = await findPageIds(em, WebhookEndpointEntity, {
        where: conditions,
        id: 'endpointId',
        bytes: 'octet_length(subscriptions::text) + octet_length(subscribed_types::text) + octet_length(headers::text)',
        limit,
      });
      const options = { orderBy: { endpointId: 'desc' } } as const;
      const rows = await em.find(WebhookEndpointEntity, { endpointId: { $in: ids } }, options);
      return { rows: await withCircuits(em, rows), isMore };
    });
    return toCutPage(page, {
      toItem: (endpoint) => endpoint,
      toCursor: ({ endpointId }) => encodeCursor(endpointId),
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an endpoint' })
  @ZodResponse({ status: 200, type: EndpointResponse })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    const endpoint = await this.find(principal, id);
    const [response] = await this.scope.read(principal, (em) => withCircuits(em, [endpoint]));
    return response!;
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change settings of an endpoint' })
  @ZodResponse({ status: 200, type: EndpointWithSecret })
  async update(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() changes: EndpointChanges) {
    const endpoint = await this.find(principal, id, changes);
    principal.refuseInternal(changes.isExternal);
    if (changes.url !== undefined && changes.url !== endpoint.url) {
      // Refused before any lookup for a principal that may not move the endpoint.
      principal.refuseMoving(endpoint, { url: changes.url });
    }
    await this.destinationCheck.vet(movedPlace(principal, endpoint, changes), changes);
    const { row, shown } = (await this.editor.update(principal, endpoint, changes)) ?? unknownEndpoint();
    return { ...toEndpointResponse(row), ...shown };
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete an endpoint' })
  @HttpCode(204)
  @ApiNoContentResponse({
    description: 'its open deliveries are in the DLQ, its history stays; also when it was deleted before',
  })
  async remove(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    await this.editor.remove(principal, await this.findEvenDeleted(principal, id));
  }

  @Post(':id/test')
  @ApiOperation({ summary: 'Send a test webhook to an endpoint' })
  @ZodResponse({ status: 200, type: PingResponse })
  async test(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return this.pinger.ping(principal, await this.find(principal, id));
  }

  /** Recent events of the tenant that the endpoint's subscriptions would match. */
  @Post(':id/dry-run')
  @ApiOperation({ summary: "Try an endpoint's subscriptions on recent events" })
  @ZodResponse({ status: 200, type: DryRunResponse })
  async dryRun(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Body() { since }: DryRunRequest) {
    return this.dryRuns.run(principal, await this.find(principal, id), since);
  }

  private async find(
    principal: AdminPrincipal,
    endpointId: string,
    changes?: EndpointChanges,
  ): Promise<WebhookEndpointRow> {
    const endpoint = await this.findEvenDeleted(principal, endpointId, changes);
    return endpoint.deletedAt ? unknownEndpoint() : endpoint;
  }

  private async findEvenDeleted(
    principal: AdminPrincipal,
    endpointId: string,
    changes?: EndpointChanges,
  ): Promise<WebhookEndpointRow> {
    const found = await this.scope.read(principal, (em) => em.findOne(WebhookEndpointEntity, { endpointId }));
    refuseHandler(found, changes);
    return found ?? unknownEndpoint();
  }
}

function movedPlace(principal: AdminPrincipal, before: WebhookEndpointRow, changes: EndpointChanges): EndpointPlace {
  const { tenantId, url, dispatcher } = before;
  return {
    tenantId,
    url: changes.url ?? url,
    urlSetByOperator: isUrlSetByOperator(principal, changes, before),
    dispatcher: changes.dispatcher === undefined ? (dispatcher ?? null) : changes.dispatcher,
  };
}

function unknownEndpoint(): never {
  throw problems.notFound('endpoint');
}
