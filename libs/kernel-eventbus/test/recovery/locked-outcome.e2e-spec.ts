import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { waitFor } from '@kernel/eventbus/testing';
import { RecordingReceiver } from '@kernel/test-support/recording-receiver';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const COUNT = 6;
const tenantId = randomUUID();

describe('outcomes', () => {
  let receiver: RecordingReceiver;
  let kernel: KernelApp;
  beforeEach(async () => {
    receiver = await RecordingReceiver.start();
    kernel = await startKernelApp({ role: 'worker', timeoutMs: 120_000 });
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const count = async (status: string) =>
    (await kernel.database.query('select from kernel_webhook_delivery where status = $1', [status])).length;

  it('are recorded although somebody holds the row of another one, which is recorded later', async () => {
    const responses: ServerResponse[] = [];
    receiver.behave('hook', (response) => responses.push(response));
    await kernel.addEndpoint({ tenantId, url: receiver.urlOf('hook'), types: ['t.v1'] });
    const events = Array.from({ length: COUNT }, (_, n) => ({
      tenantId,
      type: 't.v1',
      streamKey: `s${n}`,
      traceId: 'trace-0001',
    }));
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
    await waitFor(async () => responses.length === COUNT && (await count('PENDING')) === COUNT, 'all in flight');

    const locking = kernel.em.fork();
    await locking.begin();
    await locking.execute('select from kernel_webhook_delivery order by delivery_id limit 1 for update');
    responses.forEach((response) => response.writeHead(204).end());
    await waitFor(async () => (await count('DELIVERED')) === COUNT - 1, 'the others to be recorded');
    await locking.rollback();
    await waitFor(async () => (await count('DELIVERED')) === COUNT, 'the last one to be recorded');
    expect(receiver.receipts).toHaveLength(COUNT);
  });
});
