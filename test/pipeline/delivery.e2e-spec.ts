import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { Webhook } from 'standardwebhooks';
import { startKernelApp, type KernelApp } from '../support/kernel-app.js';

describe('from a commit to a signed webhook', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  it('[KER-5a] [KER-5b] delivers what a transaction published, signed per Standard Webhooks', async () => {
    const tenantId = randomUUID();
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['invoice.created.v1'] });

    const event = await kernel.em.fork().transactional((em) =>
      kernel.outbox.publish(
        {
          type: 'invoice.created.v1',
          tenantId,
          streamKey: 'invoice:1',
          traceId: 'trace-0001',
          payload: { total: 5 },
        },
        { em },
      ),
    );

    const [webhook] = await receiver.receives(1);
    const headers = webhook!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(webhook!.raw, headers)).toMatchObject({
      eventId: event.eventId,
      tenantId,
      payload: { total: 5 },
      traceId: 'trace-0001',
    });
    expect(headers['webhook-id']).toBe(event.eventId);
    await waitFor(
      async () =>
        (await kernel.database.query(`select 1 from kernel_webhook_delivery where status = 'DELIVERED'`)).length === 1,
      'the delivery to be recorded',
    );
  });
});
