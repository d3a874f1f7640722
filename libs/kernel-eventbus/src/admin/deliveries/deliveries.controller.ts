import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Get, Param, Post, Query } from '@nestjs/common';
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
    private readonly em: EntityManager,
    private readonly replays: ReplayService,
  ) {}

  @Get()
  @TakesQuery()
  @ZodResponse({ status: 200, type: DeliveryPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: DeliveryQuery) {
    const { tenantId, type, since, until, limit, cursor, ...equal } = query;
    const before = IdCursor.position(cursor);
    const rows = await this.em.fork().find(
      WebhookDeliveryEntity,
      defined({
        ...equal,
        ...principal.tenantFilter(tenantId),
        eventType: type,
        createdAt: withinTimes(since, until),
        deliveryId: before && { $lt: before },
        // They are not indexed by trace; the ledger knows which events belong to it.
        $and: equal.traceId === undefined ? [] : [isOfTrace(equal.traceId)],
      }),
      { orderBy: { deliveryId: 'desc' }, limit: limit + 1 },
    );
    const parkedLanes = await this.parkedLanes(rows);
    return toPage(rows, limit, {
      toItem: (row) => toDeliveryAnswer(row, parkedLanes),
      toCursor: ({ deliveryId }) => encodeCursor(deliveryId),
    });
  }

  @Get(':id')
  @ZodResponse({ status: 200, type: DeliveryWithAttempts })
  async get(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams) {
    const em = this.em.fork();
    const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId: id, ...principal.tenantFilter() });
    if (!delivery) {
      throw problems.notFound('delivery');
    }
    const attempts = await em.find(
      LedgerEntryEntity,
      { eventId: delivery.eventId, deliveryId: id, kind: 'attempt' },
      { orderBy: { recordedAt: 'asc', entryId: 'asc' } },
    );
    const answer = toDeliveryAnswer(delivery, await this.parkedLanes([delivery]));
    return { ...answer, attemptLog: attempts.map(toLoggedAttempt) };
  }

  @Post(':id/replay')
  @ZodResponse({ status: 202, type: DeliveryAnswer })
  async replay(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams, @Body() { reason }: ReplayOrder) {
    const order = { deliveryId: id, ...principal.tenantFilter(), actor: principal.actor, reason };
    const result = await this.replays.replay(order);
    switch (result.kind) {
      case 'replayed':
        return toDeliveryAnswer(result.delivery, await this.parkedLanes([result.delivery]));
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

  private parkedLanes(deliveries: readonly WebhookDeliveryRow[]): Promise<ReadonlySet<string>> {
    return findParkedLanes(
      this.em.fork().getKysely(),
      deliveries.map(({ laneId }) => laneId),
    );
  }
}
