import type { PendingEvent } from './pending-events.sql.js';
import { matcherOf, type FindSubscribers, type Match } from './match-subscribers.js';
import type { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import type { UnfinishedEvaluations } from './unfinished-evaluations.js';

/** Maximum deliveries in a batch, and in one statement that writes them. */
export const MAX_BATCH_DELIVERIES = 1_000;

export interface TakenBatch<Event extends PendingEvent> {
  events: Event[];
  matches: Match<Event>[];
  /** The next batch starts after this tenant. */
  lastTenantId: string | undefined;
}

/**
 * Takes events while their deliveries fit into the batch, and each tenant's while its time for predicates lasts; the
 * others stay pending. An event with more deliveries than fit is a batch of its own. `isStopped`: true for an event
 * that middleware stopped, which has no deliveries.
 */
export async function takeBatch<Event extends PendingEvent>(
  claimed: readonly Event[],
  subscribersOf: FindSubscribers,
  judge: Pick<SubscriptionJudge, 'evaluate'>,
  unfinished: UnfinishedEvaluations,
  isStopped: (eventId: string) => boolean = () => false,
): Promise<TakenBatch<Event>> {
  const match = matcherOf(claimed, subscribersOf, judge, unfinished);
  const taken: TakenBatch<Event> = { events: [], matches: [], lastTenantId: undefined };
  const waiting = new Set<string>();
  for (const event of claimed) {
    const { eventId, tenantId } = event;
    // After an event that waits, the tenant's later events wait too.
    if (waiting.has(tenantId)) {
      continue;
    }
    const matches = isStopped(eventId) ? [] : await match(event);
    if (matches && taken.events.length > 0 && taken.matches.length + matches.length > MAX_BATCH_DELIVERIES) {
      break;
    }
    taken.lastTenantId = tenantId;
    if (matches) {
      taken.events.push(event);
      matches.forEach((one) => taken.matches.push(one));
    } else {
      waiting.add(tenantId);
    }
  }
  return taken;
}

/** An event with more deliveries than a statement takes is written in slices, by one transaction. */
export function slicesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_BATCH_DELIVERIES) }, (_, n) =>
    items.slice(n * MAX_BATCH_DELIVERIES, (n + 1) * MAX_BATCH_DELIVERIES),
  );
}
