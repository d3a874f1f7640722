import { QueuedDispatcher } from '../../src/dispatch/queued-dispatcher.js';
import { type Handoff, type WebhookDispatcher } from '../../src/dispatch/webhook-dispatcher.js';
import { dispatcherConformance } from '@kernel/eventbus/testing';

const conforming: [string, () => WebhookDispatcher][] = [
  ['a queued one', () => new QueuedDispatcher({ name: 'queue', capacity: 50, parallelism: 2 })],
  [
    'a queued one that waits',
    () => new QueuedDispatcher({ name: 'queue', capacity: 2, parallelism: 2, overflow: 'wait' }),
  ],
];

describe.each(conforming)('[SC-006] [SC-008] [SC-011] %s', (_name, make) => {
  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))('%s', async (_title, rule) => {
    await expect(rule.check(make)).resolves.toBeUndefined();
  });
});

describe('the conformance suite', () => {
  const broken: [string, string, (handoff: Handoff) => ReturnType<WebhookDispatcher['dispatch']>][] = [
    ['forgets', 'invokes-once', async () => ({ status: 'enqueued' })],
    [
      'sends twice',
      'invokes-once',
      async (handoff) => {
        await Promise.all([handoff.invoke(), handoff.invoke()]);
        return { status: 'accepted' };
      },
    ],
    [
      'says accepted too early',
      'accepted-means-invoked',
      async (handoff) => {
        void handoff.invoke();
        return { status: 'accepted' };
      },
    ],
    [
      'rejects what it sent',
      'telemetry',
      async (handoff) => {
        await handoff.invoke();
        return { status: 'rejected', reason: 'no' };
      },
    ],
    ['rejects without a word', 'rejects-clearly', async () => ({ status: 'rejected' })],
    [
      'lets one wait for the other',
      'independent',
      (() => {
        let before: Promise<void> = Promise.resolve();
        return async (handoff) => {
          before = before.then(() => handoff.invoke());
          await before;
          return { status: 'accepted' as const };
        };
      })(),
    ],
  ];

  it.each(broken)('refuses a dispatcher that %s (%s)', async (_what, id, dispatch) => {
    const rule = dispatcherConformance.find((one) => one.id === id)!;
    await expect(rule.check(() => ({ name: 'broken', dispatch }), { timeoutMs: 1_000 })).rejects.toThrow();
  });

  it('refuses a dispatcher whose name changes (name)', async () => {
    let number = 0;
    const rule = dispatcherConformance.find(({ id }) => id === 'name')!;
    const make = () => ({ name: `broken-${++number}`, dispatch: async () => ({ status: 'accepted' as const }) });
    await expect(rule.check(make)).rejects.toThrow("'broken-1' and 'broken-2'");
  });
});
