import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { hang } from '@kernel/test-support/bad-behaviours';
import { RecordingReceiver } from '@kernel/test-support/recording-receiver';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const tenantId = randomUUID();
const CONCURRENCY = 4;

describe('what a worker says it has in flight', () => {
  let receiver: RecordingReceiver;
  let kernel: KernelApp;
  beforeEach(async () => {
    receiver = await RecordingReceiver.start();
    kernel = await startKernelApp({
      role: 'worker',
      concurrency: CONCURRENCY,
      perEndpointConcurrency: CONCURRENCY,
      timeoutMs: 300_000,
      shutdownTimeoutMs: 100,
      // Longer than a test: no heartbeat comes while the row of the worker is locked.
      heartbeat: { silentMs: 600_000 },
    });
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const publish = (count: number) =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId,
          type: 't.v1',
          streamKey: `s${n}`,
          traceId: 'trace-0001',
        })),
        { em },
      ),
    );
  const announced = async () => {
    const [worker] = await kernel.database.query<{ ids: string[] }>('select in_flight as ids from kernel_worker');
    return worker!.ids.sort();
  };
  const held = async () =>
    (await kernel.database.query('select from kernel_webhook_delivery where leased_by is not null')).length;
  const sent = () => receiver.receipts.map(({ headers }) => headers['x-kernel-delivery-id'] as string).sort();

  it.each(['none', 'stream'] as const)(
    'is exactly what was sent while requests hang, not what it fetched ahead (ordering: %s)',
    async (ordering) => {
      await kernel.addEndpoint({ tenantId, url: receiver.urlOf('hook'), types: ['t.v1'], ordering });
      await publish(12);
      await waitFor(() => receiver.receipts.length === 12, 'webhooks');
      const before = sent();
      receiver.behave('hook', hang);
      await publish(12);
      await waitFor(async () => receiver.receipts.length === 12 + CONCURRENCY && (await held()) === 12, 'full hands');
      const hanging = sent().filter((deliveryId) => !before.includes(deliveryId));
      await waitFor(async () => (await announced()).join() === hanging.join(), 'the list to be exact');
    },
  );

  it('holds no request up that the database cannot be told of', async () => {
    await kernel.addEndpoint({ tenantId, url: receiver.urlOf('hook'), types: ['t.v1'] });
    const locking = kernel.em.fork();
    await locking.begin();
    await locking.execute('select from kernel_worker for update');
    for (let count = 1; count <= 3; count++) {
      await publish(1);
      await waitFor(() => receiver.receipts.length === count, `webhook ${count}`);
    }
    expect(await announced()).toEqual([]);
    await locking.rollback();
  });
});
