import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { RecordingReceiver } from '@kernel/test-support/recording-receiver';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const PATIENCE_MS = 100_000;
const tenantId = randomUUID();

describe('the routing of an event with broadcast middleware', () => {
  let receiver: RecordingReceiver;
  let publisher: KernelApp;
  let proxy: DatabaseProxy;
  let worker: KernelApp;
  let runs = 0;
  let meanwhile: () => void;
  beforeEach(async () => {
    receiver = await RecordingReceiver.start();
    publisher = await startKernelApp({ role: 'api' });
    const { database } = publisher;
    proxy = await DatabaseProxy.start(database.appUrl);
    worker = await startKernelApp({
      role: 'worker',
      database: proxy.behind(database),
      broadcastMiddleware: [
        {
          name: 'noting',
          broadcast: async (_event, next) => {
            runs++;
            meanwhile();
            await next();
          },
        },
      ],
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
    'is done again on another connection when its own goes silent',
    async () => {
      meanwhile = () => runs === 1 && proxy.silenceOpenConnections();
      await publisher.addEndpoint({ tenantId, url: receiver.urlOf('hook'), types: ['t.v1'] });
      const event = { tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' };
      await publisher.outbox.publishDetached(event);
      await waitFor(() => receiver.receipts.length === 1, 'the webhook', { timeoutMs: PATIENCE_MS });
      // More runs if the next idle connection was silent as well.
      expect(runs).toBeGreaterThanOrEqual(2);
    },
    2 * PATIENCE_MS,
  );
});
