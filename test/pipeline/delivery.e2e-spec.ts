import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { Webhook } from 'standardwebhooks';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

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

  it('[KER-5a] [KER-5b] [FR-007] [FR-007a] [SC-002a] delivers what a transaction published, signed per Standard Webhooks', async () => {
    const tenantId = randomUUID();
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['invoice.created.v1'] });

    const event = await kernel.em.fork().transactional((em) =>
      kernel.outbox.publish(
        {
          type: 'invoice.created.v1',
          tenantId,
          streamKey: 'invoice:1',
          traceId: 'trace-0001',
          payload: { total: 5, huge: 1e308 },
        },
        { em },
      ),
    );

    const [webhook] = await receiver.receives(1);
    const headers = webhook!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(webhook!.raw, headers)).toEqual({
      eventId: event.eventId,
      tenantId,
      streamKey: 'invoice:1',
      type: 'invoice.created.v1',
      occurredAt: event.occurredAt,
      dispatchedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      traceId: 'trace-0001',
      payload: { total: 5, huge: 1e308 },
    });
    const delivery = await waitFor(
      async () =>
        (await kernel.database.query<{ delivery_id: string }>('select delivery_id from kernel_webhook_delivery'))[0],
      'the delivery to be written',
    );
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.eventId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,/),
      'x-kernel-tenant-id': tenantId,
      'x-kernel-event-type': 'invoice.created.v1',
      'x-kernel-delivery-id': delivery.delivery_id,
      'x-kernel-attempt': '1',
      'x-trace-id': 'trace-0001',
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    // As compact as published, not as PostgreSQL prints numbers.
    expect(webhook!.raw.length).toBeLessThan(500);
    await waitFor(
      async () =>
        (await kernel.database.query(`select 1 from kernel_webhook_delivery where status = 'DELIVERED'`)).length === 1,
      'the delivery to be recorded',
    );
  });
});
