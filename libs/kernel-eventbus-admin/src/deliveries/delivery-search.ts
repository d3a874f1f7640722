import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { isOfTrace } from '@kernel/ledger';
import { WebhookDeliveryEntity } from '@kernel/eventbus';
import {
  type WebhookDeliveryRow,
  idBeyond,
  lowestIdSince,
  defined,
  SEARCHED_BY_LOOKUP,
  SEARCHED_PER_PAGE,
  withinTimes,
} from '@kernel/eventbus/engine';
import type { DeliveryQuery } from './delivery.dto.js';
import { isOfStream } from './is-of-stream.sql.js';

export interface DeliverySearch extends Omit<DeliveryQuery, 'cursor'> {
  /** Last delivery id of the previous page. */
  before?: string;
}

export interface FoundDeliveries {
  /** One more than the limit if there is a next page. */
  rows: WebhookDeliveryRow[];
  /** Where the search stopped before the page was full; undefined if it reached the end. */
  searchedTo: string | undefined;
}

/** Newest first, by id: every index with many rows per key ends with the id. */
export async function searchDeliveries(em: EntityManager, search: DeliverySearch): Promise<FoundDeliveries> {
  const searchedTo = isSearch(search) ? await findSearchEnd(em, search) : undefined;
  const rows = await em.find(WebhookDeliveryEntity, deliveryConditions(search, searchedTo), {
    filters: false,
    orderBy: { deliveryId: 'desc' },
    limit: search.limit + 1,
  });
  return { rows, searchedTo };
}

export function deliveryConditions(search: DeliverySearch, searchedTo?: string): FilterQuery<WebhookDeliveryRow> {
  const { type, streamKey, errorClass, since, until, limit: _limit, before: _before, ...equal } = search;
  return defined({
    ...equal,
    eventType: type,
    createdAt: withinTimes(since, until),
    deliveryId: idsWithin(search, searchedTo),
    $and: [
      // Deliveries are not indexed by trace; the ledger maps a trace to its events.
      ...(equal.traceId === undefined ? [] : [isOfTrace(equal.traceId)]),
      ...(streamKey === undefined ? [] : [isOfStream(streamKey, equal.tenantId)]),
    ],
    // Same rule as the groups of dead letters.
    $or: errorClass === undefined ? undefined : [{ errorClass }, { errorClass: null, deadLetterReason: errorClass }],
  });
}

/**
 * True if no index is selective: types and error classes are not indexed, streams only within a tenant, and nearly all
 * deliveries are DELIVERED.
 */
function isSearch(search: DeliverySearch): boolean {
  const { type, status, errorClass, eventId, traceId, streamKey, tenantId, endpointId } = search;
  if ([eventId, traceId, endpointId, streamKey && tenantId].some((value) => value !== undefined)) {
    return false;
  }
  const isSearched = [type, errorClass, streamKey].some((value) => value !== undefined);
  return isSearched
    ? status === undefined || status === 'DELIVERED' || streamKey !== undefined
    : status === 'DELIVERED';
}

async function findSearchEnd(em: EntityManager, search: DeliverySearch): Promise<string | undefined> {
  const { tenantId, streamKey, since, until, before, limit } = search;
  const searched = streamKey === undefined ? SEARCHED_PER_PAGE : SEARCHED_BY_LOOKUP;
  const [last] = await em.find(
    WebhookDeliveryEntity,
    defined({ tenantId, deliveryId: idsWithin({ since, until, before, limit }) }),
    { filters: false, fields: ['deliveryId'], orderBy: { deliveryId: 'desc' }, offset: searched - 1, limit: 1 },
  );
  return last?.deliveryId;
}

/** Ids start with their time, so the primary key also narrows time ranges, within the clock skew. */
function idsWithin({ since, until, before }: DeliverySearch, downTo?: string) {
  const lowest = [downTo, since && lowestIdSince(since)].filter((id) => typeof id === 'string').sort();
  const highest = [before, until && idBeyond(until)].filter((id) => typeof id === 'string').sort();
  const range = defined({ $gte: lowest.at(-1), $lt: highest[0] });
  return Object.keys(range).length > 0 ? range : undefined;
}
