import { randomUUID } from 'node:crypto';
import type { BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import type { Subscription } from '../../src/endpoints/subscription.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

/** One event takes longer than the idle limit of a transaction (10 s), although each endpoint is within its limits. */
const COMPARE_MS = 2;
const PREDICATES = 100;
const ENDPOINTS = 55;
const PATIENCE_MS = 180_000;

const passing: BroadcastMiddleware = {
  name: 'passing',
  broadcast: async (_event, next) => {
    await next();
  },
};

describe.each([
  ['without middleware', []],
  ['with middleware', [passing]],
])('a tenant whose subscriptions are slow to evaluate, %s', (_, broadcastMiddleware) => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({
      broadcastMiddleware,
      valueComparer: {
        compare: (_operator, actual, expected) => {
          for (const end = performance.now() + COMPARE_MS; performance.now() < end;);
          return actual === expected;
        },
      },
    });
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const publish = (tenantId: string) =>
    kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish(
          { tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001', payload: { region: 'EU' } },
          { em },
        ),
      );

  it(
    'delays no other tenant, and gets its own events',
    async () => {
      const [greedy, other] = [randomUUID(), randomUUID()];
      const predicates = Array.from({ length: PREDICATES - 1 }, (_one, n) => ({
        path: '$.region',
        operator: 'equals' as const,
        value: `none ${n}`,
      }));
      const subscriptions: Subscription[] = [
        {
          type: 't.v1',
          match: 'any',
          predicates: [...predicates, { path: '$.region', operator: 'equals', value: 'EU' }],
        },
      ];
      for (let n = 0; n < ENDPOINTS; n++) {
        await kernel.addEndpoint({ tenantId: greedy, url: receiver.url, types: ['t.v1'], subscriptions });
      }
      await kernel.addEndpoint({ tenantId: other, url: receiver.url, types: ['t.v1'] });

      const slow = await publish(greedy);
      const fast = await publish(other);
      const isOf =
        ({ eventId }: { eventId: string }) =>
        (one: (typeof receiver.received)[number]) =>
          one.headers['webhook-id'] === eventId;
      await waitFor(() => receiver.received.some(isOf(fast)), 'the event of the other tenant');
      expect(receiver.received.filter(isOf(slow))).toEqual([]);
      await waitFor(
        () => receiver.received.filter(isOf(slow)).length === ENDPOINTS,
        'the slow event at every endpoint',
        { timeoutMs: PATIENCE_MS },
      );
    },
    2 * PATIENCE_MS,
  );
});
