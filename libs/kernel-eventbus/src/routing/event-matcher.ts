import { Injectable } from '@nestjs/common';
import { EndpointCache } from '../endpoints/endpoint-cache.js';
import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import { endpointSettingsStatement } from '../endpoints/endpoint-settings.sql.js';
import { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import type { Statement } from '@kernel/runtime';
import type { FindSubscribers, Subscriber } from './match-subscribers.js';
import type { PendingEvent } from './pending-events.sql.js';
import type { FoundSubscribers } from './subscribers.sql.js';
import { takeBatch, type TakenBatch } from './take-batch.js';
import { UnfinishedEvaluations } from './unfinished-evaluations.js';

export type ReadSettings = (statement: Statement) => Promise<EndpointSettings[]>;

/** Matches pending events with their subscribers. */
@Injectable()
export class EventMatcher {
  readonly #unfinished = new UnfinishedEvaluations();

  constructor(
    private readonly judge: SubscriptionJudge,
    private readonly endpoints: EndpointCache,
  ) {}

  /** See `takeBatch`. `read` reads the settings of endpoints that this worker does not know yet. */
  async takeBatch<Event extends PendingEvent>(
    pending: readonly Event[],
    read: ReadSettings,
    isStopped?: (eventId: string) => boolean,
  ): Promise<TakenBatch<Event>> {
    const subscribersOf = await this.readSubscribers(pending[0]?.subscribers ?? [], read);
    return takeBatch(pending, subscribersOf, this.judge, this.#unfinished, isStopped);
  }

  private async readSubscribers(found: readonly FoundSubscribers[], read: ReadSettings): Promise<FindSubscribers> {
    const seen = found.flatMap(({ endpointIds, versions }) =>
      endpointIds.map((endpointId, place) => ({ endpointId, endpointVersion: versions[place]! })),
    );
    const settings = await this.endpoints.resolve(seen, (endpointIds) => read(endpointSettingsStatement(endpointIds)));
    const byKey = new Map(found.map((ofType) => [keyOf(ofType), toSubscribers(ofType, settings)]));
    return (event) => byKey.get(keyOf(event)) ?? [];
  }
}

function toSubscribers(
  { type, endpointIds, openIds }: FoundSubscribers,
  settings: ReadonlyMap<string, EndpointSettings>,
): Subscriber[] {
  const isOpen = new Set(openIds);
  return endpointIds.flatMap((endpointId) => {
    const endpoint = settings.get(endpointId);
    // Settings that were read after the claim may be of an endpoint that was changed in between.
    const isSubscribed = endpoint?.isEnabled && !endpoint.isDeleted && endpoint.subscribedTypes.includes(type);
    return isSubscribed ? { endpoint, isCircuitOpen: isOpen.has(endpointId) } : [];
  });
}

function keyOf({ tenantId, type }: { tenantId: string; type: string }): string {
  return `${tenantId} ${type}`;
}
