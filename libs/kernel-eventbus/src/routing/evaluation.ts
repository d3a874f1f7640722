import { isDeepStrictEqual } from 'node:util';
import { JudgedEvent } from '../endpoints/subscriptions/judged-event.js';
import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import type { MatchingTime } from './matching-time.js';
import type { SubscriptionJudge, SubscriptionVerdict } from '../endpoints/subscriptions/subscription-judge.js';

interface Judgement {
  subscriptions: EndpointSettings['subscriptions'];
  steps: Generator<void, SubscriptionVerdict>;
  isMatch?: boolean;
}

/** Evaluates an event for its subscribers. It can stop between two predicates and continue in a later batch. */
export class Evaluation {
  readonly #event: JudgedEvent;
  readonly #judgements = new Map<string, Judgement>();

  constructor(type: string, payloadJson: string) {
    this.#event = new JudgedEvent(type, payloadJson);
  }

  /** Undefined if the time is up. */
  async isMatch(
    endpoint: EndpointSettings,
    judge: Pick<SubscriptionJudge, 'evaluate'>,
    time: MatchingTime,
  ): Promise<boolean | undefined> {
    const judgement = this.judgementOf(endpoint, judge);
    while (judgement.isMatch === undefined) {
      if (time.isUp) {
        return undefined;
      }
      if (time.isTurnDue) {
        await time.nextTurn();
      }
      const { done, value } = judgement.steps.next();
      judgement.isMatch = done ? value.isMatch : undefined;
    }
    return judgement.isMatch;
  }

  private judgementOf(endpoint: EndpointSettings, judge: Pick<SubscriptionJudge, 'evaluate'>): Judgement {
    const { endpointId, subscriptions } = endpoint;
    const known = this.#judgements.get(endpointId);
    // The endpoint may have changed since the last batch.
    if (known && isDeepStrictEqual(known.subscriptions, subscriptions)) {
      return known;
    }
    const subscriber = { endpointId, subscribedTypes: [this.#event.type], subscriptions };
    const judgement = { subscriptions, steps: judge.evaluate(subscriber, this.#event) };
    this.#judgements.set(endpointId, judgement);
    return judgement;
  }
}
