import { QueuedDispatcher } from '../../src/dispatch/queued-dispatcher.js';
import { type Handoff } from '../../src/dispatch/webhook-dispatcher.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { closeBenches, startBench } from './dispatch-bench.js';

/** A queue whose worker waits for the gate. */
function gatedQueue(capacity: number) {
  const gate = Promise.withResolvers<void>();
  const invoke = async (handoff: Handoff) => {
    await gate.promise;
    await handoff.invoke();
  };
  return { gate, queue: new QueuedDispatcher({ name: 'queue', capacity, parallelism: 1, invoke }) };
}

describe('queued dispatchers', () => {
  afterEach(closeBenches);

  it('[FR-023a] [FR-023b] [FR-023c] [SC-011] leave the delivery PENDING until its outcome is known', async () => {
    const { gate, queue } = gatedQueue(10);
    const bench = await startBench({ dispatchers: [queue] });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await bench.publish();
    await waitFor(async () => (await bench.deliveries()).length === 1, 'the delivery to be handed over');
    expect(await bench.deliveries()).toMatchObject([{ status: 'PENDING', attempts: 0 }]);
    gate.resolve();
    expect(await bench.settled(1)).toMatchObject([{ status: 'DELIVERED' }]);
    expect(await bench.attempts()).toMatchObject([{ detail: { dispatcher: 'queue', handoff: 'enqueued' } }]);
  });

  it('[FR-023a] [FR-023b] [SC-011] took it, and yet the delivery fails when the endpoint does', async () => {
    const { gate, queue } = gatedQueue(10);
    gate.resolve();
    const bench = await startBench({ dispatchers: [queue], retry: { maxAttempts: 1 } });
    bench.receiver.otherwise(500);
    await bench.addEndpoint({ dispatcher: 'queue' });
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([{ status: 'DLQ', attempts: 1, error_class: 'http_5xx' }]);
    expect(await bench.attempts()).toMatchObject([{ detail: { dispatcher: 'queue', handoff: 'enqueued' } }]);
  });

  it('[FR-010] [FR-010d] are handed a retry as an attempt of that delivery alone: nothing is published or sent again', async () => {
    const handed: [string, number][] = [];
    const queue = new QueuedDispatcher({
      name: 'queue',
      capacity: 10,
      parallelism: 2,
      invoke: async (handoff) => {
        handed.push([handoff.delivery.endpointId, handoff.delivery.attempt]);
        await handoff.invoke();
      },
    });
    const bench = await startBench({ dispatchers: [queue], defaultDispatcher: 'queue' });
    const shakyReceiver = (await WebhookReceiver.start()).answers(500, 503);
    const steady = await bench.addEndpoint();
    const shaky = await bench.addEndpoint({ url: shakyReceiver.url });
    await bench.publish();
    await bench.settled(2);
    await shakyReceiver.stop();

    expect(handed.filter(([endpointId]) => endpointId === shaky).map(([, attempt]) => attempt)).toEqual([1, 2, 3]);
    expect(handed.filter(([endpointId]) => endpointId === steady)).toEqual([[steady, 1]]);
    expect(bench.receiver.received).toHaveLength(1);
    expect(await bench.rows('select event_id from kernel_outbox_event')).toHaveLength(1);
  });

  it('[FR-012] [FR-015] [FR-016] that are full fail the attempt by default, which is retried later', async () => {
    const { gate, queue } = gatedQueue(1);
    const retry = { maxAttempts: 100, initialDelayMs: 20, maxDelayMs: 50 };
    const bench = await startBench({ dispatchers: [queue], retry });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await Promise.all([bench.publish(), bench.publish(), bench.publish(), bench.publish()]);
    await waitFor(
      async () => (await bench.deliveries()).some(({ last_error: error }) => error === 'its queue is full (1)'),
      'one to overflow',
    );
    gate.resolve();
    await bench.settled(4);
    expect(bench.receiver.received).toHaveLength(4);
  });

  it('[FR-015] that are to wait when they are full overflow nothing', async () => {
    const queue = new QueuedDispatcher({ name: 'queue', capacity: 1, parallelism: 1, overflow: 'wait' });
    const bench = await startBench({ dispatchers: [queue], retry: { maxAttempts: 1 } });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await Promise.all(Array.from({ length: 8 }, () => bench.publish()));
    expect(await bench.settled(8)).toEqual(
      Array(8).fill(expect.objectContaining({ status: 'DELIVERED', attempts: 1 })),
    );
  });

  it('[FR-011a] whose transport fails before it invokes fail that attempt at once', async () => {
    const queue = new QueuedDispatcher({
      name: 'queue',
      capacity: 10,
      parallelism: 1,
      invoke: async (handoff) => {
        if (handoff.delivery.attempt === 1) {
          throw new Error('no route');
        }
        await handoff.invoke();
      },
    });
    const bench = await startBench({ dispatchers: [queue] });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([
      { status: 'DELIVERED', attempts: 2, error_class: 'dispatcher', last_error: 'no route' },
    ]);
  });

  it('[FR-011a] that keep a delivery too long fail the attempt, and send nothing once it is over', async () => {
    const gate = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    const queue = new QueuedDispatcher({
      name: 'queue',
      capacity: 10,
      parallelism: 2,
      invoke: async (handoff) => {
        if (handoff.delivery.attempt > 1) {
          return handoff.invoke();
        }
        await gate.promise;
        await handoff.invoke();
        late.resolve();
      },
    });
    const bench = await startBench({ dispatchers: [queue], leaseMs: 1_000 });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([
      { status: 'DELIVERED', attempts: 2, last_error: "the dispatcher 'queue' did not invoke the endpoint in time" },
    ]);
    gate.resolve();
    await late.promise;
    expect(bench.receiver.received).toHaveLength(1);
  });

  it('[FR-012] need a capacity and a parallelism', () => {
    const make = (options: { capacity: number; parallelism: number }) => () =>
      new QueuedDispatcher({ name: 'queue', ...options });
    expect(make({ capacity: 0, parallelism: 1 })).toThrow(/needs a capacity of at least 1/);
    expect(make({ capacity: 1, parallelism: 0.5 })).toThrow(/needs a parallelism of at least 1/);
  });
});
