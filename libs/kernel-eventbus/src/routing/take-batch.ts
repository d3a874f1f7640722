import type { PendingEvent } from './claim-pending-events.sql.js';
import { matcherOf, type Match } from './match-subscribers.js';
import type { SubscriptionJudge } from './subscription-judge.js';
import type { UnfinishedEvaluations } from './unfinished-evaluations.js';

/** Deliveries in a batch, and in one statement that writes them. */
export const MAX_BATCH_DELIVERIES = 1_000;

export interface TakenBatch<Event extends PendingEvent> {
  events: Event[];
  matches: Match<Event>[];
  /** Where the next batch begins: behind this tenant. */
  lastTenantId: string | undefined;
}

/**
 * Takes events as long as their deliveries fit into the batch, and each tenant's as long as its time for predicates lasts; the others
 * stay pending. An event that alone has more deliveries is a batch of its own. `isStopped`: by middleware, so that it has none.
 */
export async function takeBatch<Event extends PendingEvent>(
  claimed: readonly Event[],
  judge: Pick<SubscriptionJudge, 'evaluate'>,
  unfinished: UnfinishedEvaluations,
  isStopped: (eventId: string) => boolean = () => false,
): Promise<TakenBatch<Event>> {
  const match = matcherOf(claimed, judge, unfinished);
  const taken: TakenBatch<Event> = { events: [], matches: [], lastTenantId: undefined };
  const waiting = new Set<string>();
  for (const event of claimed) {
    const { eventId, tenantId } = event;
    // Behind one that waits, the tenant's other events wait too.
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
