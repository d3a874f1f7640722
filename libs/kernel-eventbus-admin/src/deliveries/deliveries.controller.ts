import type { EntityManager } from '@mikro-orm/postgresql';
import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerEntryEntity } from '@kernel/ledger';
import { WebhookDeliveryEntity, ReplayService } from '@kernel/eventbus';
import {
  type WebhookDeliveryRow,
  findParkedLanes,
  TenantScope,
  encodeCursor,
  IdCursor,
  toPage,
  SEARCH_NOTE,
} from '@kernel/eventbus/engine';
import { problems } from '@kernel/http';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { searchDeliveries } from './delivery-search.js';
import { toDeliveryResponse, toLoggedAttempt } from './delivery-response.js';
import {
  DeliveryResponse,
  DeliveryPage,
  DeliveryQuery,
  DeliveryWithAttempts,
  MAX_LOGGED_ATTEMPTS,
  ReplayDeliveryRequest,
} from './delivery.dto.js';

@AdminController('deliveries')
export class DeliveriesController {
  constructor(
    private readonly scope: TenantScope,
    private readonly replays: ReplayService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List deliveries, newest first', description: SEARCH_NOTE })
  @ZodResponse({ status: 200, type: DeliveryPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: DeliveryQuery) {
    const { cursor, ...filter } = query;
    const tenantId = principal.scopeTo(filter.tenantId);
    const search = { ...filter, tenantId, before: IdCursor.position(cursor) };
    return this.scope.read(principal, async (em) => {
      const { rows, searchedTo } = await searchDeliveries(em, search);
      const parkedLanes = await parkedLanesOf(em, rows);
      const page = toPage(rows, search.limit, {
        toItem: (row) => toDeliveryResponse(row, parkedLanes),
        toCursor: ({ deliveryId }) => encodeCursor(deliveryId),
      });
      return { ...page, nextCursor: page.nextCursor ?? (searchedTo ? encodeCursor(searchedTo) : null) };
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show a delivery with its attempts' })
  @ZodResponse({ status: 200, type: DeliveryWithAttempts })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return this.scope.read(principal, async (em) => {
      const delivery = await findDelivery(em, id);
      const attempts = await em.find(
        LedgerEntryEntity,
        { eventId: delivery.eventId, deliveryId: id, kind: 'attempt' },
        { filters: false, orderBy: { recordedAt: 'desc', entryId: 'desc' }, limit: MAX_LOGGED_ATTEMPTS },
      );
      const response = toDeliveryResponse(delivery, await parkedLanesOf(em, [delivery]));
      return { ...response, attemptLog: attempts.reverse().map(toLoggedAttempt) };
    });
  }

  @Post(':id/replay')
  @ApiOperation({ summary: 'Send a settled delivery again' })
  @ZodResponse({ status: 202, type: DeliveryResponse })
  async replay(
    @Principal() principal: AdminPrincipal,
    @Params() { id }: IdParams,
    @Body() { reason }: ReplayDeliveryRequest,
  ) {
    const delivery = await this.replays.replay(principal.caller, id, { reason });
    return this.scope.read(principal, async (em) => toDeliveryResponse(delivery, await parkedLanesOf(em, [delivery])));
  }
}

async function findDelivery(em: EntityManager, deliveryId: string): Promise<WebhookDeliveryRow> {
  const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId }, { filters: false });
  if (!delivery) {
    throw problems.notFound('delivery');
  }
  return delivery;
}

function parkedLanesOf(em: EntityManager, deliveries: readonly WebhookDeliveryRow[]): Promise<ReadonlySet<string>> {
  return findParkedLanes(
    em.getKysely(),
    deliveries.map(({ laneId }) => laneId),
  );
}
