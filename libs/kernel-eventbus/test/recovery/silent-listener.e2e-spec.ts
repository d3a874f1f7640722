import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { RecordingReceiver } from '@kernel/test-support/recording-receiver';
import { type KernelApp, startKernelApp } from '@kernel/test-support/kernel-app';

const PATIENCE_MS = 100_000;
const NEVER_MS = 3_600_000;

describe('the connection on which a worker listens', () => {
  let receiver: RecordingReceiver;
  let publisher: KernelApp;
  let proxy: DatabaseProxy;
  let worker: KernelApp;
  beforeEach(async () => {
    receiver = await RecordingReceiver.start();
    publisher = await startKernelApp({ role: 'api' });
    const { database } = publisher;
    proxy = await DatabaseProxy.start(database.appUrl);
    worker = await startKernelApp({
      role: 'worker',
      // It polls only when it is notified.
      polling: { minIntervalMs: NEVER_MS, maxIntervalMs: NEVER_MS },
      database: proxy.behind(database),
    });
  });
  afterEach(async () => {
    proxy.cut();
    await worker.close();
    await publisher.close();
    await proxy.close();
    await receiver.stop();
  });

  it(
    'is replaced when it goes silent without a reset',
    async () => {
      const tenantId = randomUUID();
      await publisher.addEndpoint({ tenantId, url: receiver.urlOf('one'), types: ['order.placed.v1'] });
      const publish = () =>
        publisher.em.fork().transactional(async (em) => {
          await publisher.outbox.publish(
            { tenantId, type: 'order.placed.v1', streamKey: 's', traceId: 'silent-listener' },
            { em },
          );
        });
      await publish();
      await waitFor(() => receiver.receipts.length === 1, 'a webhook by notification');
      proxy.silenceOpenConnections();
      await publish();
      await waitFor(() => receiver.receipts.length === 2, 'a webhook after the silence', { timeoutMs: PATIENCE_MS });
      // Notifications work again: only the publisher wakes the worker.
      await publish();
      await waitFor(() => receiver.receipts.length === 3, 'a webhook by notification', { timeoutMs: PATIENCE_MS });
    },
    3 * PATIENCE_MS,
  );
});
