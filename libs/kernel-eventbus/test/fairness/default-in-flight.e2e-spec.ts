import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { HangingReceiver } from './hanging-receiver.js';

const CAP = 4;

describe('an endpoint that sets no maxInFlight', () => {
  let kernel: KernelApp;
  let hanging: HangingReceiver;
  let healthy: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp({ maxInFlightPerEndpoint: CAP, timeoutMs: 300_000, shutdownTimeoutMs: 1 });
    [hanging, healthy] = [await HangingReceiver.start(), await WebhookReceiver.start()];
  });
  afterEach(async () => {
    await kernel.close();
    await Promise.all([hanging.stop(), healthy.stop()]);
  });

  const publish = (tenantId: string, count: number) =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, () => ({ tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' })),
        { em },
      ),
    );

  it('has no more in flight than its tenant admin may set', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    await kernel.addEndpoint({ tenantId, url: hanging.url, types: ['t.v1'] });
    await kernel.addEndpoint({ tenantId: other, url: healthy.url, types: ['t.v1'] });
    await publish(tenantId, 10 * CAP);
    await waitFor(() => hanging.count >= CAP, 'the endpoint to be sent to');
    // Routed and sent after the previous deliveries.
    await publish(other, 1);
    await healthy.receives(1);
    expect(hanging.count).toBe(CAP);
  });
});
