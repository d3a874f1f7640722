import { Injectable } from '@nestjs/common';
import { type Caller, tenantOf } from '../../access/caller.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import { WebhookEndpointEntity, type WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { refusals } from '../../eventbus.refusals.js';
import { encodeCursor, IdCursor } from '../../paging/cursor.js';
import { defined } from '../../paging/defined.js';
import { findPageIds } from '../../paging/find-page-ids.js';
import { type Page, toCutPage } from '../../paging/page.js';
import { withCircuits } from './endpoint-circuit.js';
import type { ShownEndpoint } from './endpoint-details.js';
import type { EndpointChanges, EndpointQuery } from './endpoint-input.js';
import { refuseHandler } from './refuse-handler.js';

/** Finds the endpoints that a caller may see. */
@Injectable()
export class EndpointReader {
  constructor(private readonly scope: TenantScope) {}

  /** Newest first. */
  async list(caller: Caller, { tenantId, limit, cursor }: EndpointQuery): Promise<Page<ShownEndpoint>> {
    const before = IdCursor.position(cursor);
    const conditions = defined({
      deletedAt: null,
      // Application handlers are endpoints only inside the engine.
      $or: [{ dispatcher: null }, { dispatcher: { $ne: HANDLER_DISPATCHER } }],
      tenantId: tenantOf(caller, tenantId),
      endpointId: before && { $lt: before },
    });
    const page = await this.scope.read(caller, async (em) => {
      const { ids, isMore } = await findPageIds(em, WebhookEndpointEntity, {
        where: conditions,
        id: 'endpointId',
        bytes: 'octet_length(subscriptions::text) + octet_length(subscribed_types::text) + octet_length(headers::text)',
        limit,
      });
      const options = { orderBy: { endpointId: 'desc' } } as const;
      const rows = await em.find(WebhookEndpointEntity, { endpointId: { $in: ids } }, { ...options, filters: false });
      return { rows: await withCircuits(em, rows), isMore };
    });
    return toCutPage(page, {
      toItem: (endpoint) => endpoint,
      toCursor: ({ endpointId }) => encodeCursor(endpointId),
    });
  }

  async show(caller: Caller, endpointId: string): Promise<ShownEndpoint> {
    const endpoint = await this.find(caller, endpointId);
    const [shown] = await this.scope.read(caller, (em) => withCircuits(em, [endpoint]));
    return shown!;
  }

  async find(caller: Caller, endpointId: string, changes?: EndpointChanges): Promise<WebhookEndpointRow> {
    const endpoint = await this.findEvenDeleted(caller, endpointId, changes);
    return endpoint.deletedAt ? unknownEndpoint() : endpoint;
  }

  async findEvenDeleted(caller: Caller, endpointId: string, changes?: EndpointChanges): Promise<WebhookEndpointRow> {
    const found = await this.scope.read(caller, (em) =>
      em.findOne(WebhookEndpointEntity, { endpointId }, { filters: false }),
    );
    refuseHandler(found, changes);
    return found ?? unknownEndpoint();
  }
}

export function unknownEndpoint(): never {
  throw refusals.notFound('endpoint');
}
