import { Injectable } from '@nestjs/common';
import { WebhookDeliveryEntity } from '../../deliveries/webhook-delivery.entity.js';
import { lowestIdAt, timeMsOf } from '../../envelope/partition-range.js';
import { LedgerEntryEntity, type LedgerKind } from '@kernel/ledger';
import type { Caller } from '../../access/caller.js';
import { TenantScope } from '../../access/tenant-scope.js';
import { SEARCHED_PER_PAGE } from '../../paging/search-limit.js';
import { entryIdsWithin, type LedgerFilter } from './ledger-conditions.js';
import { entriesAfter, type LedgerPosition } from './ledger-items.js';

/** Not in the index of a tenant's entries, because every event would pay for it. */
const NOT_INDEXED: readonly LedgerKind[] = ['published', 'attempt', 'delivered'];

/** Prepares a filter, so that a page reads a limited part of the ledger. */
@Injectable()
export class LedgerSearch {
  constructor(private readonly scope: TenantScope) {}

  /** Adds the event of a delivery, unless the delivery is pruned: the ledger is indexed by event. */
  async withEvent<Filter extends LedgerFilter>(caller: Caller, filter: Filter): Promise<Filter> {
    const { deliveryId, eventId } = filter;
    if (!deliveryId || eventId) {
      return filter;
    }
    const delivery = await this.scope.read(caller, (em) =>
      em.findOne(WebhookDeliveryEntity, { deliveryId }, { filters: false, fields: ['eventId'] }),
    );
    return delivery ? { ...filter, eventId: delivery.eventId } : filter;
  }

  /**
   * The lowest id of a page that no index narrows; undefined if an index does, or if fewer entries remain. Counts the
   * entries of all tenants, so it reads as an operator, in the caller's place. The result is a time in whole seconds, which shows
   * no other tenant's entry.
   */
  async endOf(caller: Caller, filter: LedgerFilter, after: LedgerPosition | undefined): Promise<string | undefined> {
    if (!isSearch(filter)) {
      return undefined;
    }
    const where = { $and: [...entryIdsWithin(filter), ...(after ? [{ entryId: entriesAfter(after) }] : [])] };
    const [last] = await this.scope.hold(caller, () =>
      this.scope.read({ actor: caller.actor }, (em) =>
        em.find(LedgerEntryEntity, where, {
          filters: false,
          fields: ['entryId'],
          orderBy: { entryId: 'desc' },
          offset: SEARCHED_PER_PAGE - 1,
          limit: 1,
        }),
      ),
    );
    return last && lowestIdAt(Math.floor(timeMsOf(last.entryId) / 1_000) * 1_000);
  }
}

function isSearch({ tenantId, eventId, deliveryId, endpointId, traceId, kind }: LedgerFilter): boolean {
  if (eventId !== undefined || traceId !== undefined) {
    return false;
  }
  const isIndexed = tenantId !== undefined && kind !== undefined && !NOT_INDEXED.includes(kind);
  return !isIndexed && [tenantId, deliveryId, endpointId, kind].some((value) => value !== undefined);
}
