import { resolveConfig } from '../eventbus.config.js';
import type { Subscription } from '../endpoints/subscription.js';
import type { PendingEvent } from './pending-events.sql.js';
import type { FindSubscribers, Subscriber } from './match-subscribers.js';
import { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import { takeBatch } from './take-batch.js';
import { UnfinishedEvaluations } from './unfinished-evaluations.js';

const COMPARE_MS = 30;
/** More than fit into the time limit of a batch. */
const PREDICATES = 60;

describe('a batch whose predicates take long', () => {
  let compared: unknown[];
  let unfinished: UnfinishedEvaluations;
  const slow = new SubscriptionJudge(
    resolveConfig({
      masterKey: 'k',
      valueComparer: {
        compare: (_operator, _actual, expected) => {
          compared.push(expected);
          for (const end = performance.now() + COMPARE_MS; performance.now() < end;);
          return false;
        },
      },
    }),
  );
  beforeEach(() => {
    compared = [];
    unfinished = new UnfinishedEvaluations();
  });

  const wants = (first = 0): Subscription[] => [
    {
      type: 't.v1',
      match: 'any',
      predicates: Array.from({ length: PREDICATES }, (_, n) => ({
        path: '$.region',
        operator: 'equals',
        value: String(first + n),
      })),
    },
  ];
  const subscriber = (tenantId: string, subscriptions: Subscription[]) =>
    ({ endpoint: { endpointId: `of ${tenantId}`, subscriptions } }) as unknown as Subscriber;
  const take = async (eventIds: string[], subscribers: Subscriber[]) => {
    const claimed = eventIds.map(
      (eventId) => ({ eventId, tenantId: eventId[0], type: 't.v1', payloadJson: '{"region":"EU"}' }) as PendingEvent,
    );
    const subscribersOf: FindSubscribers = ({ tenantId }) =>
      subscribers.filter(({ endpoint }) => endpoint.endpointId === `of ${tenantId}`);
    const { events, lastTenantId } = await takeBatch(claimed, subscribersOf, slow, unfinished);
    return { taken: events.map(({ eventId }) => eventId), lastTenantId };
  };

  it("leaves the tenant's events to later batches, takes those of others, and evaluates nothing twice", async () => {
    const subscribers = [subscriber('a', wants()), subscriber('b', [])];
    expect(await take(['a1', 'a2', 'b1'], subscribers)).toEqual({ taken: ['b1'], lastTenantId: 'b' });
    expect(await take(['b2', 'a1', 'a2'], subscribers)).toEqual({ taken: ['b2'], lastTenantId: 'a' });

    while ((await take(['a1'], subscribers)).taken.length === 0);
    expect(compared).toEqual(Array.from({ length: PREDICATES }, (_, n) => String(n)));
  });

  it('begins anew for an endpoint that was changed meanwhile', async () => {
    expect((await take(['a1'], [subscriber('a', wants())])).taken).toEqual([]);
    const before = compared.length;
    expect(before).toBeLessThan(PREDICATES);
    while ((await take(['a1'], [subscriber('a', wants(100))])).taken.length === 0);
    expect(compared.slice(before)).toEqual(Array.from({ length: PREDICATES }, (_, n) => String(100 + n)));
  });
});
