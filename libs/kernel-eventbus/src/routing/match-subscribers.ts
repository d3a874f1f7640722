import type { ClaimedEvent, PendingEvent } from './pending-events.sql.js';
import { Evaluation } from './evaluation.js';
import { MatchingTime } from './matching-time.js';
import type { Subscriber } from './subscribers.sql.js';
import type { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import type { UnfinishedEvaluations } from './unfinished-evaluations.js';

export interface Match<Event extends PendingEvent = ClaimedEvent> {
  event: Event;
  endpoint: Subscriber;
}

/**
 * Finds the subscribers to an event's tenant and type whose predicates match its payload. Undefined if its tenant's
 * time is up: the event waits for a later batch, which continues its evaluation. `events`: the whole batch.
 */
export function matcherOf<Event extends PendingEvent>(
  events: readonly Event[],
  judge: Pick<SubscriptionJudge, 'evaluate'>,
  unfinished: UnfinishedEvaluations,
): (event: Event) => Promise<Match<Event>[] | undefined> {
  const byPair = Map.groupBy(events[0]?.subscribers ?? [], ({ forTenantId, forType }) => pairKey(forTenantId, forType));
  const time = new MatchingTime(new Set(events.map(({ tenantId }) => tenantId)).size);

  const evaluate = async (event: Event, choosy: readonly Subscriber[]): Promise<Set<Subscriber> | undefined> => {
    const evaluation = unfinished.take(event.eventId) ?? new Evaluation(event.type, event.payloadJson);
    const matching = new Set<Subscriber>();
    for (const endpoint of choosy) {
      const isMatch = await evaluation.isMatch(endpoint, judge, time);
      if (isMatch === undefined) {
        unfinished.keep(event.eventId, evaluation);
        return undefined;
      }
      if (isMatch) {
        matching.add(endpoint);
      }
    }
    return matching;
  };

  return async (event) => {
    const subscribers = byPair.get(pairKey(event.tenantId, event.type)) ?? [];
    // Most endpoints want every event of a type, and need no promise.
    const choosy = subscribers.filter(({ subscriptions }) => subscriptions.length > 0);
    const matching = choosy.length > 0 ? await time.during(event.tenantId, () => evaluate(event, choosy)) : undefined;
    if (choosy.length > 0 && !matching) {
      return undefined;
    }
    const wants = (endpoint: Subscriber) => endpoint.subscriptions.length === 0 || matching!.has(endpoint);
    return subscribers.filter(wants).map((endpoint) => ({ event, endpoint }));
  };
}

function pairKey(tenantId: string, type: string): string {
  return `${tenantId} ${type}`;
}
