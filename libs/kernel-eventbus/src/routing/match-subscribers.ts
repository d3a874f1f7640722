import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import type { ClaimedEvent, PendingEvent } from './pending-events.sql.js';
import { Evaluation } from './evaluation.js';
import { MatchingTime } from './matching-time.js';
import type { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import type { UnfinishedEvaluations } from './unfinished-evaluations.js';

/** An endpoint that subscribes to the type of an event. */
export interface Subscriber {
  endpoint: EndpointSettings;
  /** True if deliveries wait in the queue for the endpoint's probe. */
  isCircuitOpen: boolean;
}

/** Finds the subscribers to an event's tenant and type. */
export type FindSubscribers = (event: PendingEvent) => readonly Subscriber[];

export interface Match<Event extends PendingEvent = ClaimedEvent> extends Subscriber {
  event: Event;
}

/**
 * Finds the subscribers to an event's tenant and type whose predicates match its payload. Undefined if its tenant's
 * time is up: the event waits for a later batch, which continues its evaluation. `events`: the whole batch.
 */
export function matcherOf<Event extends PendingEvent>(
  events: readonly Event[],
  subscribersOf: FindSubscribers,
  judge: Pick<SubscriptionJudge, 'evaluate'>,
  unfinished: UnfinishedEvaluations,
): (event: Event) => Promise<Match<Event>[] | undefined> {
  const time = new MatchingTime(new Set(events.map(({ tenantId }) => tenantId)).size);

  const findRefusing = async (
    event: Event,
    toEvaluate: readonly Subscriber[],
  ): Promise<Set<Subscriber> | undefined> => {
    const evaluation = unfinished.take(event.eventId) ?? new Evaluation(event.type, event.payloadJson);
    const refusing = new Set<Subscriber>();
    for (const subscriber of toEvaluate) {
      const isMatch = await evaluation.isMatch(subscriber.endpoint, judge, time);
      if (isMatch === undefined) {
        unfinished.keep(event.eventId, evaluation);
        return undefined;
      }
      if (!isMatch) {
        refusing.add(subscriber);
      }
    }
    return refusing;
  };

  return async (event) => {
    const subscribers = subscribersOf(event);
    const matchAll = (wanting: readonly Subscriber[]) =>
      wanting.map(({ endpoint, isCircuitOpen }) => ({ event, endpoint, isCircuitOpen }));
    // Most endpoints want every event of a type, and need no promise.
    const toEvaluate = subscribers.filter(({ endpoint }) =>
      endpoint.subscriptions.some(({ type }) => type === event.type),
    );
    if (toEvaluate.length === 0) {
      return matchAll(subscribers);
    }
    const refusing = await time.during(event.tenantId, () => findRefusing(event, toEvaluate));
    return refusing && matchAll(subscribers.filter((subscriber) => !refusing.has(subscriber)));
  };
}
