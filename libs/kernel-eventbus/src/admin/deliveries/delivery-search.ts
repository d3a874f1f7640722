import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { isOfTrace } from '../../audit/find-events-of-trace.sql.js';
import { WebhookDeliveryEntity, type WebhookDeliveryRow } from '../../delivery/webhook-delivery.entity.js';
import { lowestIdAt } from '../../upkeep/partition-range.js';
import { defined } from '../paging/defined.js';
import { SEARCHED_PER_PAGE } from '../paging/search-limit.js';
import { withinTimes } from '../paging/within-times.js';
import type { DeliveryQuery } from './delivery.dto.js';
import { isOfStream } from './is-of-stream.sql.js';

/** How far the clocks that make ids and times may be apart. */
const SKEW_MS = 3_600_000;
const LATEST_MS = 2 ** 48 - 1;

export interface DeliverySearch extends Omit<DeliveryQuery, 'cursor'> {
  /** The last of the page before. */
  before?: string;
}

export interface FoundDeliveries {
  /** One more than the limit where there are more. */
  rows: WebhookDeliveryRow[];
  /** Where the search ended before it had found as many; undefined: it went to the end. */
  searchedTo: string | undefined;
}

/** Newest first, by ids, which every index that leads to many ends with. */
export async function searchDeliveries(em: EntityManager, search: DeliverySearch): Promise<FoundDeliveries> {
  const searchedTo = isSearch(search) ? await findSearchEnd(em, search) : undefined;
  const rows = await em.find(WebhookDeliveryEntity, deliveryConditions(search, searchedTo), {
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
      // They are not indexed by trace; the ledger knows which events belong to it.
      ...(equal.traceId === undefined ? [] : [isOfTrace(equal.traceId)]),
      ...(streamKey === undefined ? [] : [isOfStream(streamKey, equal.tenantId)]),
    ],
    // As the groups of dead letters name it.
    $or: errorClass === undefined ? undefined : [{ errorClass }, { errorClass: null, deadLetterReason: errorClass }],
  });
}

/** Types are not indexed, and nearly everything is delivered; all other conditions lead to few. */
function isSearch({ type, status, eventId, traceId, streamKey, endpointId }: DeliverySearch): boolean {
  const isSelective = [eventId, traceId, streamKey, endpointId].some((value) => value !== undefined);
  return !isSelective && (status === undefined ? type !== undefined : status === 'DELIVERED');
}

async function findSearchEnd(em: EntityManager, search: DeliverySearch): Promise<string | undefined> {
  const { tenantId, since, until, before, limit } = search;
  const [last] = await em.find(
    WebhookDeliveryEntity,
    defined({ tenantId, deliveryId: idsWithin({ since, until, before, limit }) }),
    { fields: ['deliveryId'], orderBy: { deliveryId: 'desc' }, offset: SEARCHED_PER_PAGE - 1, limit: 1 },
  );
  return last?.deliveryId;
}

/** Ids are made of their time: so an index finds times, too, if not to the second. */
function idsWithin({ since, until, before }: DeliverySearch, downTo?: string) {
  const lowest = [downTo, since && idAt(since, -SKEW_MS)].filter((id) => typeof id === 'string').sort();
  const highest = [before, until && idAt(until, SKEW_MS)].filter((id) => typeof id === 'string').sort();
  const range = defined({ $gte: lowest.at(-1), $lt: highest[0] });
  return Object.keys(range).length > 0 ? range : undefined;
}

function idAt(time: string, skewMs: number): string {
  return lowestIdAt(Math.min(Math.max(new Date(time).getTime() + skewMs, 0), LATEST_MS));
}
