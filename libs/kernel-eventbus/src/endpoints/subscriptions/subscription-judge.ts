import { Injectable, Logger } from '@nestjs/common';
import type { Predicate, Subscription } from '../subscription.js';
import { EventBusConfig } from '../../eventbus.config.js';
import { faultOf, type LoopTurns } from '@kernel/runtime';
import { evaluatePredicate } from './evaluate-predicate.js';
import type { JudgedEvent } from './judged-event.js';
import { matchSubscriptions, type SubscriptionMatch } from './match-subscriptions.js';

export interface Subscriber {
  endpointId: string;
  subscribedTypes: readonly string[];
  subscriptions: readonly Subscription[];
}

export type SubscriptionVerdict = SubscriptionMatch | { isMatch: false; failed: 'type' };

const MAX_TOLD = 1_000;
const WRONG_TYPE: SubscriptionVerdict = { isMatch: false, failed: 'type' };

/** Decides whether an endpoint wants an event: its exact type is subscribed, and the predicates match its payload. */
@Injectable()
export class SubscriptionJudge {
  readonly #logger = new Logger(SubscriptionJudge.name);
  readonly #told = new Set<string>();

  constructor(private readonly config: EventBusConfig) {}

  /** Yields to the event loop between predicates when a turn is due. */
  async judge(subscriber: Subscriber, event: JudgedEvent, turns: LoopTurns): Promise<SubscriptionVerdict> {
    const steps = this.evaluate(subscriber, event);
    for (;;) {
      const { done, value } = steps.next();
      if (done) {
        return value;
      }
      if (turns.isDue) {
        await turns.next();
      }
    }
  }

  /** Like `judge`, yielding after each predicate. */
  *evaluate(subscriber: Subscriber, event: JudgedEvent): Generator<void, SubscriptionVerdict> {
    if (!subscriber.subscribedTypes.includes(event.type)) {
      return WRONG_TYPE;
    }
    const entries = subscriber.subscriptions.filter(({ type }) => type === event.type);
    return yield* matchSubscriptions(entries, (predicate) => this.holds(predicate, subscriber, event));
  }

  /** Selector and comparer may be the host's: their errors must not keep the event from other endpoints. */
  private holds(predicate: Predicate, subscriber: Subscriber, event: JudgedEvent): boolean {
    try {
      const { fieldSelector, valueComparer } = this.config;
      return evaluatePredicate(predicate, event.select(predicate.path, fieldSelector), valueComparer);
    } catch (error) {
      this.tellOnce(predicate, subscriber, event, error);
      return false;
    }
  }

  /** Omits the error's message, in which a comparer may quote the payload. */
  private tellOnce({ path, operator }: Predicate, { endpointId }: Subscriber, { type }: JudgedEvent, error: unknown) {
    const key = JSON.stringify([endpointId, type, path, operator]);
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) {
      return;
    }
    this.#told.add(key);
    const { type: errorType, stack } = faultOf(error);
    this.#logger.error({
      msg: 'a predicate failed and counts as no match; told once per predicate',
      endpointId,
      type,
      path,
      operator,
      fault: { type: errorType, stack },
    });
  }
}
