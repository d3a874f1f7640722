import { randomUUID } from 'node:crypto';
import {
  DispatcherConfigurationError,
  QueuedDispatcher,
  type Handoff,
  type HandoffResult,
  type WebhookDispatcher,
} from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { Injectable } from '@nestjs/common';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '../../../../test/support/kernel-app.js';

const tenantId = randomUUID();

/** Keeps what it would have sent, instead of sending it. */
@Injectable()
class MemoryDispatcher implements WebhookDispatcher {
  readonly name = 'memory';
  readonly sent: { url: string; headers: Record<string, string> }[] = [];

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke(async ({ url, headers }) => {
      this.sent.push({ url, headers });
      return { kind: 'response', statusCode: 202, headers: {}, bodyExcerpt: '', latencyMs: 0 };
    });
    return { status: 'accepted' };
  }
}

describe('dispatchers', () => {
  let kernel: KernelApp | undefined;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await kernel?.close();
    kernel = undefined;
    await receiver.stop();
  });

  const start = async (options: KernelAppOptions = {}) => {
    kernel = await startKernelApp(options);
    return kernel;
  };
  const addEndpoint = async (dispatcher: string | null, url = receiver.url) => {
    const { endpointId } = await kernel!.addEndpoint({ tenantId, url, types: ['t.v1'] });
    await kernel!.database.query('update kernel_webhook_endpoint set dispatcher = $1 where endpoint_id = $2', [
      dispatcher,
      endpointId,
    ]);
    return endpointId;
  };
  const publish = () =>
    kernel!.outbox.publishDetached({ tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001' });
  const deliveries = () =>
    kernel!.database.query<{ endpoint_id: string; status: string; attempts: number; error_class: string | null }>(
      'select endpoint_id, status, attempts, error_class, last_error from kernel_webhook_delivery',
    );
  const settled = (status = 'DELIVERED') =>
    waitFor(async () => {
      const rows = await deliveries();
      return rows.length > 0 && rows.every((row) => row.status === status);
    }, `all deliveries to be ${status}`);

  it("[FR-006] [FR-009a] [FR-009b] [FR-009c] [FR-013] [FR-023] [FR-025] [FR-026] [SC-003] [SC-009] takes the endpoint's own, else the default of the application", async () => {
    const memory = new MemoryDispatcher();
    await start({ dispatchers: [memory] });
    await addEndpoint('memory', 'https://never.invalid/hook');
    await addEndpoint(null);
    await publish();
    await receiver.receives(1);
    await settled();
    expect(memory.sent).toHaveLength(1);
    expect(memory.sent[0]).toMatchObject({
      url: 'https://never.invalid/hook',
      headers: { 'webhook-signature': expect.stringMatching(/^v1,/), 'x-trace-id': 'trace-0001' },
    });
    const details = await kernel!.database.query<{ detail: unknown }>(
      `select detail from kernel_ledger_entry where kind = 'attempt' order by detail->>'dispatcher'`,
    );
    expect(details.map(({ detail }) => detail)).toEqual([
      { dispatcher: 'http', handoff: 'accepted' },
      { dispatcher: 'memory', handoff: 'accepted' },
    ]);
  });

  it('[FR-008] [FR-009] [FR-019] [SC-006] a class among them is made by Nest, and can be the default', async () => {
    await start({ dispatchers: [MemoryDispatcher], providers: [MemoryDispatcher], defaultDispatcher: 'memory' });
    await addEndpoint(null);
    await publish();
    await settled();
    expect(kernel!.app.get(MemoryDispatcher).sent).toHaveLength(1);
    expect(receiver.received).toHaveLength(0);
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
    const keeper = await start({ dispatchers: [new MemoryDispatcher()], role: 'api' });
    const endpointId = await addEndpoint('memory');
    await expect(startKernelApp({ database: keeper.database })).rejects.toThrow(
      `the endpoint ${endpointId} asks for the dispatcher 'memory'`,
    );
  });

  it('[FR-011] [FR-011a] [SC-005] one that fails or is missing fails its own attempts only', async () => {
    await start({
      dispatchers: [
        {
          name: 'broken',
          dispatch: async () => {
            throw new Error('out of order');
          },
        },
      ],
      retry: { maxAttempts: 2, initialDelayMs: 20, maxDelayMs: 50 },
    });
    const broken = await addEndpoint('broken');
    const healthy = await addEndpoint(null);
    await publish();
    await receiver.receives(1);
    await waitFor(
      async () => (await deliveries()).every(({ status }) => status === 'DELIVERED' || status === 'DLQ'),
      'both to be settled',
    );
    expect(await deliveries()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ endpoint_id: healthy, status: 'DELIVERED' }),
        expect.objectContaining({
          endpoint_id: broken,
          status: 'DLQ',
          attempts: 2,
          error_class: 'dispatcher',
          last_error: 'out of order',
        }),
      ]),
    );
  });

  it('[FR-023a] [FR-023b] [FR-023c] [SC-011] a queued one leaves the delivery PENDING until its outcome is known', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = new QueuedDispatcher({
      name: 'queue',
      capacity: 10,
      parallelism: 1,
      invoke: async (handoff) => {
        await gate.promise;
        await handoff.invoke();
      },
    });
    await start({ dispatchers: [queue] });
    await addEndpoint('queue');
    await publish();
    await waitFor(async () => (await deliveries()).length === 1, 'the delivery to be handed over');
    expect(await deliveries()).toMatchObject([{ status: 'PENDING', attempts: 0 }]);
    gate.resolve();
    await settled();
    const [entry] = await kernel!.database.query<{ detail: unknown }>(
      `select detail from kernel_ledger_entry where kind = 'attempt'`,
    );
    expect(entry!.detail).toEqual({ dispatcher: 'queue', handoff: 'enqueued' });
  });

  it('[FR-012] [FR-015] [FR-016] a queue that is full fails the attempt by default, which is retried later', async () => {
    const gate = Promise.withResolvers<void>();
    const queue = new QueuedDispatcher({
      name: 'queue',
      capacity: 1,
      parallelism: 1,
      invoke: async (handoff) => {
        await gate.promise;
        await handoff.invoke();
      },
    });
    await start({ dispatchers: [queue], retry: { maxAttempts: 100, initialDelayMs: 20, maxDelayMs: 50 } });
    await addEndpoint('queue');
    await Promise.all([publish(), publish(), publish(), publish()]);
    await waitFor(
      async () => (await deliveries()).some(({ error_class: errorClass }) => errorClass === 'dispatcher'),
      'one to overflow',
    );
    gate.resolve();
    await settled();
    expect(receiver.received).toHaveLength(4);
  });

  it('[FR-010b] [FR-017] [SC-004] retries by the strategy and the detection that the host gives', async () => {
    receiver.answers(500, 418, 200);
    const pauses: number[] = [];
    await start({
      retry: {
        maxAttempts: 5,
        backoff: (failures) => {
          pauses.push(failures);
          return 10;
        },
        isTransient: (result) => (result.kind === 'response' && result.statusCode === 418 ? true : undefined),
      },
    });
    await addEndpoint(null);
    await publish();
    await settled();
    expect(pauses).toEqual([1, 2]);
  });

  it('[FR-017] an endpoint may have retries and a deadline of its own', async () => {
    receiver.otherwise(500);
    await start();
    const impatient = await addEndpoint(null);
    await kernel!.database.query(`update kernel_webhook_endpoint set retry = '{"maxAttempts": 1}', timeout_ms = 5000`);
    await publish();
    await settled('DLQ');
    expect(await deliveries()).toMatchObject([{ endpoint_id: impatient, attempts: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });
});
