import { DispatcherConfigurationError } from '../../src/eventbus.errors.js';
import { InvocationDeferredError } from '../../src/dispatch/invocation-deferred.error.js';
import { type Handoff, type HandoffResult, type WebhookDispatcher } from '../../src/dispatch/webhook-dispatcher.js';
import { Injectable } from '@nestjs/common';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import { closeBenches, startBench } from './dispatch-bench.js';

/** Stores deliveries instead of sending them. */
@Injectable()
class MemoryDispatcher implements WebhookDispatcher {
  readonly name: string = 'memory';
  readonly sent: { url: string; headers: Record<string, string> }[] = [];

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke(async ({ url, headers }) => {
      this.sent.push({ url, headers });
      return { kind: 'response', statusCode: 202, headers: {}, bodyExcerpt: '', latencyMs: 0 };
    });
    return { status: 'accepted' };
  }
}

class OtherDispatcher extends MemoryDispatcher {
  override readonly name = 'other';
}

describe('dispatchers', () => {
  afterEach(closeBenches);

  it("[FR-006] [FR-009a] [FR-009b] [FR-009c] [FR-013] [FR-023] [FR-025] [FR-026] [SC-003] [SC-009] exactly one takes each attempt: the endpoint's own, else the default of the application", async () => {
    const [memory, other] = [new MemoryDispatcher(), new OtherDispatcher()];
    const bench = await startBench({ dispatchers: [memory, other] });
    await bench.addEndpoint({ dispatcher: 'memory', url: 'https://memory.invalid/hook' });
    await bench.addEndpoint({ dispatcher: 'other', url: 'https://other.invalid/hook' });
    await bench.addEndpoint();
    const events = await Promise.all(Array.from({ length: 10 }, () => bench.publish()));
    await bench.settled(30);

    const ids = events.map(({ eventId }) => eventId).toSorted();
    for (const { name, sent } of [memory, other]) {
      expect(sent.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids);
      expect(new Set(sent.map(({ url }) => url))).toEqual(new Set([`https://${name}.invalid/hook`]));
      expect(sent[0]!.headers).toMatchObject({
        'webhook-signature': expect.stringMatching(/^v1,/),
        'x-trace-id': 'trace-0001',
      });
    }
    expect(bench.receiver.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids);
    const details = (await bench.attempts()).map(({ detail }) => detail);
    expect(details).toHaveLength(30);
    for (const dispatcher of ['http', 'memory', 'other']) {
      expect(details.filter((detail) => detail.dispatcher === dispatcher)).toEqual(
        Array(10).fill({ dispatcher, handoff: 'accepted' }),
      );
    }
  });

  it('[FR-008] [FR-009] [FR-019] [SC-006] a class among them is made by Nest, and can be the default', async () => {
    const providers = [MemoryDispatcher];
    const bench = await startBench({ dispatchers: providers, providers, defaultDispatcher: 'memory' });
    await bench.addEndpoint();
    await bench.publish();
    await bench.settled(1);
    expect(bench.kernel.app.get(MemoryDispatcher).sent).toHaveLength(1);
    expect(bench.receiver.received).toHaveLength(0);
  });

  it.each([
    ['none is registered', { httpDispatcher: false }, /no dispatcher is registered/],
    ['the default is unknown', { defaultDispatcher: 'pigeon' }, /'pigeon'; registered are 'http'/],
    [
      'two have one name',
      { dispatchers: [new MemoryDispatcher(), new MemoryDispatcher()] },
      /two dispatchers are called 'memory'/,
    ],
    [
      'one takes the name of handlers',
      { dispatchers: [{ name: 'handler', dispatch: async () => ({ status: 'accepted' as const }) }] },
      /no dispatcher can be called 'handler'/,
    ],
  ])('[FR-024] the start fails when %s', async (_what, options, message) => {
    const starting = startKernelApp(options);
    await expect(starting).rejects.toThrow(DispatcherConfigurationError);
    await expect(starting).rejects.toThrow(message);
  });

  it('[FR-024] the start fails when a live endpoint asks for one that is not there', async () => {
    const bench = await startBench({ dispatchers: [new MemoryDispatcher()], role: 'api' });
    const endpointId = await bench.addEndpoint({ dispatcher: 'memory' });
    await expect(startKernelApp({ database: bench.kernel.database })).rejects.toThrow(
      `the endpoint ${endpointId} asks for the dispatcher 'memory'`,
    );
  });

  it('[FR-011] [FR-011a] [SC-005] one that fails, or whose transport does, fails its own attempts only', async () => {
    const throwing = async () => {
      throw new Error('out of order');
    };
    const bench = await startBench({
      dispatchers: [
        { name: 'broken', dispatch: throwing },
        {
          name: 'unplugged',
          dispatch: async (handoff) => {
            await handoff.invoke(throwing);
            return { status: 'accepted' };
          },
        },
      ],
      retry: { maxAttempts: 2, initialDelayMs: 20, maxDelayMs: 50 },
    });
    const [broken, unplugged] = [
      await bench.addEndpoint({ dispatcher: 'broken' }),
      await bench.addEndpoint({ dispatcher: 'unplugged' }),
    ];
    const healthy = await bench.addEndpoint();
    await bench.publish();
    const settled = await bench.settled(3);
    const dead = { status: 'DLQ', attempts: 2, error_class: 'dispatcher', last_error: 'out of order' };
    expect(settled).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ endpoint_id: healthy, status: 'DELIVERED' }),
        expect.objectContaining({ endpoint_id: broken, ...dead }),
        expect.objectContaining({ endpoint_id: unplugged, ...dead }),
      ]),
    );
  });

  it('[FR-011] one whose transport says that the fault is ours costs no attempt', async () => {
    const faults = [
      new InvocationDeferredError('queue_full', 'no room'),
      new InvocationDeferredError('queue_full', 'no room'),
    ];
    const epochs: number[] = [];
    const bench = await startBench({
      dispatchers: [
        {
          name: 'queue',
          dispatch: async (handoff) => {
            epochs.push(handoff.delivery.leaseEpoch);
            await handoff.invoke(async () => {
              const fault = faults.shift();
              if (fault) {
                throw fault;
              }
              return { kind: 'response', statusCode: 202, headers: {}, bodyExcerpt: '', latencyMs: 0 };
            });
            return { status: 'accepted' };
          },
        },
      ],
    });
    await bench.addEndpoint({ dispatcher: 'queue' });
    await bench.publish();
    expect(await bench.settled(1)).toEqual([expect.objectContaining({ status: 'DELIVERED', attempts: 1 })]);
    expect(epochs).toEqual([1, 2, 3]);
    const deferred = await bench.rows(`select error_class, error from kernel_ledger_entry where kind = 'deferred'`);
    expect(deferred).toEqual([{ error_class: 'queue_full', error: 'no room' }]);
  });
});
