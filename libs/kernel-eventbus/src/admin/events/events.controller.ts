import { EntityManager } from '@mikro-orm/postgresql';
import { Get, Param, Post, Query } from '@nestjs/common';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '../../http/problem.exception.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TakesNoBody, TakesQuery } from '../access/undeclared-input.interceptor.js';
import { encodeCursor } from '../paging/cursor.js';
import { toPage } from '../paging/page.js';
import { IdParams } from '../request-fields.js';
import { EventAnswer, EventCursor, EventPage, EventQuery, toEventAnswer } from './event.dto.js';
import { EventPreview } from './event-preview.js';
import { PreviewAnswer } from './preview.dto.js';
import { selectEvents, type StoredEvent } from './select-events.sql.js';

@AdminController('events')
export class EventsController {
  constructor(
    private readonly em: EntityManager,
    private readonly previews: EventPreview,
  ) {}

  @Get()
  @TakesQuery()
  @ZodResponse({ status: 200, type: EventPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: EventQuery) {
    const { tenantId, cursor, limit, ...filter } = query;
    const events = await selectEvents(this.em.fork().getKysely(), {
      ...filter,
      ...principal.tenantFilter(tenantId),
      before: EventCursor.position(cursor),
      limit: limit + 1,
    });
    return toPage(events, limit, {
      toItem: toEventAnswer,
      toCursor: ({ createdAt, eventId }) => encodeCursor(createdAt, eventId),
    });
  }

  @Get(':id')
  @ZodResponse({ status: 200, type: EventAnswer })
  async get(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams) {
    return toEventAnswer(await this.find(principal, id));
  }

  @Post(':id/preview')
  @TakesNoBody()
  @ZodResponse({ status: 200, type: PreviewAnswer })
  async preview(@Principal() principal: AdminPrincipal, @Param() { id }: IdParams) {
    return this.previews.preview(await this.find(principal, id));
  }

  private async find(principal: AdminPrincipal, eventId: string): Promise<StoredEvent> {
    const filter = { eventId, ...principal.tenantFilter(), limit: 1 };
    const [event] = await selectEvents(this.em.fork().getKysely(), filter);
    if (!event) {
      throw problems.notFound('event');
    }
    return event;
  }
}
