import type { EntityManager } from '@mikro-orm/postgresql';
import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { isOfTrace } from '../../audit/find-events-of-trace.sql.js';
import { LedgerEntryEntity } from '../../audit/ledger-entry.entity.js';
import { WebhookDeliveryEntity, type WebhookDeliveryRow } from '../../delivery/webhook-delivery.entity.js';
import { problems } from '../../http/problem.exception.js';
import { findParkedLanes } from '../../lanes/find-parked-lanes.sql.js';
import { ReplayService } from '../../replay/replay.service.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TenantScope } from '../access/tenant-scope.js';
import { TakesQuery } from '../access/undeclared-input.interceptor.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { defined } from '../paging/defined.js';
import { toPage } from '../paging/page.js';
import { withinTimes } from '../paging/within-times.js';
import { IdParams } from '../request-fields.js';
import { toDeliveryAnswer, toLoggedAttempt } from './delivery-answer.js';
import { DeliveryAnswer, DeliveryPage, DeliveryQuery, DeliveryWithAttempts, ReplayOrder } from './delivery.dto.js';

@AdminController('deliveries')
export class DeliveriesController {
  constructor(
    private readonly scope: TenantScope,
    private readonly replays: ReplayService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List deliveries, newest first' })
  @TakesQuery()
  @ZodResponse({ status: 200, type: DeliveryPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: DeliveryQuery) {
    const { tenantId, type, errorClass, since, until, limit, cursor, ...equal } = query;
    const before = IdCursor.position(cursor);
    const conditions = defined({
      ...equal,
      tenantId: principal.scopeTo(tenantId),
      eventType: type,
      createdAt: withinTimes(since, until),
      deliveryId: before && { $lt: before },
      // They are not indexed by trace; the ledger knows which events belong to it.
      $and: equal.traceId === undefined ? [] : [isOfTrace(equal.traceId)],
      // As the groups of dead letters name it.
      $or: errorClass === undefined ? undefined : [{ errorClass }, { errorClass: null, deadLetterReason: errorClass }],
    });
    return this.scope.read(principal, async (em) => {
      const options = { orderBy: { deliveryId: 'desc' }, limit: limit + 1 } as const;
      const rows = await em.find(WebhookDeliveryEntity, conditions, options);
      const parkedLanes = await parkedLanesOf(em, rows);
      return toPage(rows, limit, {
        toItem: (row) => toDeliveryAnswer(row, parkedLanes),
        toCursor: ({ deliveryId }) => encodeCursor(deliveryId),
      });
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show a delivery with its attempts' })
  @ZodResponse({ status: 200, type: DeliveryWithAttempts })
  async get(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams) {
    return this.scope.read(principal, async (em) => {
      const delivery = await findDelivery(em, id);
      const attempts = await em.find(
        LedgerEntryEntity,
        { eventId: delivery.eventId, deliveryId: id, kind: 'attempt' },
        { orderBy: { recordedAt: 'asc', entryId: 'asc' } },
      );
      const answer = toDeliveryAnswer(delivery, await parkedLanesOf(em, [delivery]));
      return { ...answer, attemptLog: attempts.map(toLoggedAttempt) };
    });
  }

  @Post(':id/replay')
  @ApiOperation({ summary: 'Send a settled delivery again' })
  @ZodResponse({ status: 202, type: DeliveryAnswer })
  async replay(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams, @Body() { reason }: ReplayOrder) {
    const { tenantId } = await this.scope.read(principal, (em) => findDelivery(em, id));
    const result = await this.replays.replay({ deliveryId: id, tenantId, actor: principal.actor, reason });
    switch (result.kind) {
      case 'replayed':
        return this.scope.read(principal, async (em) =>
          toDeliveryAnswer(result.delivery, await parkedLanesOf(em, [result.delivery])),
        );
      case 'not-found':
        throw problems.notFound('delivery');
      case 'not-settled':
        throw problems.conflict(`this delivery is ${result.status}: only one that is DELIVERED or DLQ can be replayed`);
      case 'endpoint-deleted':
        throw problems.conflict('the endpoint of this delivery was deleted, so it cannot be sent there again');
      case 'event-expired':
        throw problems.conflict('the event of this delivery is past its retention, so there is nothing left to send');
    }
  }
}

async function findDelivery(em: EntityManager, deliveryId: string): Promise<WebhookDeliveryRow> {
  const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId });
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
