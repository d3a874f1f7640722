import { Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { problems } from '@kernel/http';
import {
  TenantScope,
  encodeCursor,
  toCutPage,
  PAGE_BYTES_NOTE,
  SEARCH_NOTE,
  SEARCHED_BY_LOOKUP,
  SEARCHED_PER_PAGE,
} from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { streamList } from './stream-list.js';
import { EventResponse, EventCursor, EventPage, EventQuery, toEventResponse } from './event.dto.js';
import { EventPreview } from './event-preview.js';
import { PREVIEW_BYTES, PreviewResponse, PreviewItem } from './preview.dto.js';
import {
  findSearchEnd,
  selectEventPage,
  selectEvents,
  type EventFilter,
  type EventPosition,
  type StoredEvent,
} from './events.sql.js';

@AdminController('events')
export class EventsController {
  constructor(
    private readonly scope: TenantScope,
    private readonly previews: EventPreview,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List events, newest first', description: `${SEARCH_NOTE}; ${PAGE_BYTES_NOTE}` })
  @ZodResponse({ status: 200, type: EventPage })
  async list(@Principal() principal: AdminPrincipal, @Query() query: EventQuery) {
    const { tenantId, cursor, limit, ...filter } = query;
    const wanted = {
      ...filter,
      tenantId: principal.scopeTo(tenantId),
      before: EventCursor.position(cursor),
      limit,
    };
    return this.scope.read(principal, async (em) => {
      const downTo = isSearch(wanted) ? await findSearchEnd(em.getKysely(), wanted, searchedOf(wanted)) : undefined;
      const found = await selectEventPage(em.getKysely(), { ...wanted, downTo });
      const page = toCutPage(found, { toItem: toEventResponse, toCursor });
      return { ...page, nextCursor: page.nextCursor ?? (downTo ? toCursor(downTo) : null) };
    });
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an event' })
  @ZodResponse({ status: 200, type: EventResponse })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    return toEventResponse(await this.find(principal, id));
  }

  @Post(':id/preview')
  @ApiOperation({ summary: 'Show what each endpoint would be sent of an event' })
  @ZodResponse({ status: 200, type: PreviewResponse })
  async preview(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams) {
    const { endpoints, items } = await this.previews.preview(principal, await this.find(principal, id));
    return (await streamList({ endpoints }, { items, schema: PreviewItem, maxBytes: PREVIEW_BYTES })) as never;
  }

  private async find(principal: AdminPrincipal, eventId: string): Promise<StoredEvent> {
    const [event] = await this.scope.read(principal, (em) => selectEvents(em.getKysely(), { eventId, limit: 1 }));
    if (!event) {
      throw problems.notFound('event');
    }
    return event;
  }
}

function toCursor({ createdAt, eventId }: EventPosition): string {
  return encodeCursor(createdAt, eventId);
}

/** Types are not indexed, and streams only within a tenant; the other conditions are selective. */
function isSearch({ tenantId, type, eventId, streamKey, traceId }: EventFilter): boolean {
  const isSearched = streamKey === undefined ? type !== undefined : tenantId === undefined;
  return isSearched && eventId === undefined && traceId === undefined;
}

/** Events are ordered by age over all tenants. */
function searchedOf({ tenantId }: EventFilter): number {
  return tenantId === undefined ? SEARCHED_PER_PAGE : SEARCHED_BY_LOOKUP;
}
