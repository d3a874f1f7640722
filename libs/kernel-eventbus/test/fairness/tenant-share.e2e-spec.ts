import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { HangingReceiver } from './hanging-receiver.js';

const CONCURRENCY = 4;

describe('a tenant whose endpoints never answer', () => {
  let kernel: KernelApp;
  let hanging: HangingReceiver;
  let healthy: WebhookReceiver;
  const greedy = randomUUID();
  beforeEach(async () => {
    kernel = await startKernelApp({ concurrency: CONCURRENCY, timeoutMs: 300_000, shutdownTimeoutMs: 1 });
    [hanging, healthy] = [await HangingReceiver.start(), await WebhookReceiver.start()];
    for (let n = 0; n < 3; n++) {
      await kernel.addEndpoint({ tenantId: greedy, url: hanging.url, types: ['t.v1'], maxInFlight: 1_000 });
    }
    await publish(greedy, 200);
    await waitFor(() => hanging.count >= CONCURRENCY, 'every place to be taken');
    await waitFor(async () => (await pendingOf(greedy)) < 200, 'the greedy tenant to be routed');
  });
  afterEach(async () => {
    await kernel.close();
    await Promise.all([hanging.stop(), healthy.stop()]);
  });

  const publish = (tenantId: string, count = 1, streamKey = 's') =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, () => ({ tenantId, type: 't.v1', streamKey, traceId: 'trace-0001' })),
        { em },
      ),
    );
  const pendingOf = async (tenantId: string) => {
    const [row] = await kernel.database.query<{ count: number }>(
      `select count(*)::int from kernel_outbox_event where tenant_id = $1 and status = 'PENDING'`,
      [tenantId],
    );
    return row!.count;
  };

  it('delays no other tenant', async () => {
    for (let n = 1; n <= 3; n++) {
      const tenantId = randomUUID();
      await kernel.addEndpoint({ tenantId, url: healthy.url, types: ['t.v1'] });
      await publish(tenantId, 5);
      await healthy.receives(5 * n);
    }
  });

  it('delays no ordered endpoint of another tenant', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: healthy.url, types: ['t.v1'], ordering: 'stream' });
    await publish(tenantId, 12, 'a');
    await publish(tenantId, 12, 'b');
    const received = await healthy.receives(24);
    for (const stream of ['a', 'b']) {
      const sequences = received
        .filter(({ headers }) => headers['x-kernel-stream-key'] === stream)
        .map(({ headers }) => Number(headers['x-kernel-stream-sequence']));
      expect(sequences).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    }
  });

  it('delays no retry of another tenant', async () => {
    const tenantId = randomUUID();
    healthy.answers(503, 503);
    await kernel.addEndpoint({ tenantId, url: healthy.url, types: ['t.v1'] });
    await publish(tenantId);
    const received = await healthy.receives(3);
    expect(received.map(({ statusCode }) => statusCode)).toEqual([503, 503, 204]);
  });

  it('has no more requests in flight than the worker has places, while others use the reserve', async () => {
    const others = Array.from({ length: 3 }, () => randomUUID());
    const slow = await HangingReceiver.start();
    for (const tenantId of others) {
      await kernel.addEndpoint({ tenantId, url: slow.url, types: ['t.v1'] });
      await publish(tenantId, 3);
    }
    await waitFor(() => slow.count === 1, 'the reserve to be used');
    slow.answer();
    await waitFor(() => slow.count === 2, 'the reserve to be used again');
    expect(hanging.count).toBe(CONCURRENCY);
    await slow.stop();
  });
});
