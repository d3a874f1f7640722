import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { PolicyStore } from '@kernel/privacy';
import { Webhook } from 'standardwebhooks';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { DeliveryReplay } from '@kernel/eventbus/engine';
import { EvidencePage } from './evidence-page.js';

const page = new EvidencePage();
const TYPE = 'invoice.created.v1';
const invoice = {
  invoiceId: '7f0c',
  totalCents: 11_900,
  customer: { name: 'Ada', email: 'ada@example.com', taxId: 'DE123' },
};

describe('EVI027', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp({ retry: { maxAttempts: 3, initialDelayMs: 1_000, maxDelayMs: 2_000 } });
    receiver = await WebhookReceiver.start();
    await kernel.database.query('create table invoice (invoice_id text primary key, total_cents int not null)');
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });
  afterAll(() => page.writeWhenAsked());

  /** A domain transaction: an invoice and its event, then commit or rollback. */
  const createInvoice = (tenantId: string, traceId: string, { fails = false } = {}) =>
    kernel.em.fork().transactional(async (em) => {
      await em.execute('insert into invoice values (?, ?)', [randomUUID(), invoice.totalCents]);
      const event = await kernel.outbox.publish(
        { type: TYPE, tenantId, streamKey: 'invoice:7f0c', traceId, payload: invoice },
        { em },
      );
      if (fails) {
        throw new Error('the domain changed its mind');
      }
      return event;
    });
  const invoices = () => kernel.database.query('select invoice_id, total_cents from invoice');
  const outbox = () =>
    kernel.database.query(
      'select event_id, type, stream_key, trace_id, left(payload_hash, 16) as payload_hash from kernel_outbox_event',
    );
  const deliveries = () =>
    kernel.database.query<{ delivery_id: string; status: string; attempts: number }>(
      'select delivery_id, status, attempts, last_status_code, dead_letter_reason from kernel_webhook_delivery',
    );
  const reaches = (status: string) =>
    waitFor(
      async () => (await deliveries()).find((delivery) => delivery.status === status),
      `a delivery that is ${status}`,
    );
  const ledger = (traceId: string) =>
    kernel.database.query<{ kind: string; conclusion: string | null; trace_id: string; status_code: number | null }>(
      `select kind, conclusion, trace_id, actor, attempt, status_code, error_class, policy_version, removed_paths, reason
       from kernel_ledger_entry where trace_id = $1 order by entry_id`,
      [traceId],
    );
  const verified = (secret: string) =>
    receiver.received.map(({ headers, raw, statusCode }) => ({
      'x-kernel-attempt': headers['x-kernel-attempt'],
      'webhook-id': headers['webhook-id'],
      'webhook-timestamp': headers['webhook-timestamp'],
      'signature verifies': Boolean(new Webhook(secret).verify(raw, headers as Record<string, string>)),
      answered: statusCode,
    }));

  it('[EVI-A] a commit creates the outbox row', async () => {
    const event = await createInvoice(randomUUID(), 'trace-evidence-a');
    const rows = await outbox();
    expect(rows).toMatchObject([{ event_id: event.eventId, type: TYPE, trace_id: 'trace-evidence-a' }]);
    expect(await invoices()).toHaveLength(1);
    page
      .block('A', 'Transaction commit creates outbox row')
      .say('The invoice, after the commit:')
      .rows(await invoices())
      .say('The outbox:')
      .rows(rows);
  });

  it('[EVI-B] a rollback creates no outbox row', async () => {
    await expect(createInvoice(randomUUID(), 'trace-evidence-b', { fails: true })).rejects.toThrow(
      'the domain changed its mind',
    );
    expect(await outbox()).toEqual([]);
    expect(await invoices()).toEqual([]);
    page
      .block('B', 'Rollback creates no outbox row')
      .say('The invoice, after the rollback:')
      .rows(await invoices())
      .say('The outbox:')
      .rows(await outbox());
  });

  it('[EVI-C] a delivery is retried with backoff and succeeds', async () => {
    const tenantId = randomUUID();
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] });
    receiver.answers(500, 500, 204);
    const event = await createInvoice(tenantId, 'trace-evidence-c');
    await reaches('DELIVERED');
    const attempts = verified(secret);
    expect(attempts.map((attempt) => attempt.answered)).toEqual([500, 500, 204]);
    expect(new Set(attempts.map((attempt) => attempt['webhook-id']))).toEqual(new Set([event.eventId]));
    expect(new Set(attempts.map((attempt) => attempt['webhook-timestamp'])).size).toBe(3);
    page
      .block('C', 'Delivery retry proof and eventual success')
      .say('What the receiver got and answered:')
      .rows(attempts)
      .say('The delivery in the end:')
      .rows(await deliveries());
  });

  it('[EVI-D] a delivery goes to the DLQ and is delivered by a replay', async () => {
    const tenantId = randomUUID();
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] });
    receiver.otherwise(500);
    await createInvoice(tenantId, 'trace-evidence-d');
    const dead = await reaches('DLQ');
    const block = page
      .block('D', 'DLQ proof and replay success')
      .say('After the last attempt:')
      .rows(await deliveries());
    receiver.otherwise(204);
    const replay = {
      deliveryId: dead.delivery_id,
      actor: 'operator:ada',
      reason: 'the customer repaired the receiver',
    };
    expect(await kernel.app.get(DeliveryReplay).replay(replay)).toMatchObject({ kind: 'replayed' });
    await reaches('DELIVERED');
    const story = await ledger('trace-evidence-d');
    expect(story.map(({ kind, conclusion }) => [kind, conclusion])).toEqual([
      ['published', null],
      ['attempt', 'retry'],
      ['attempt', 'retry'],
      ['attempt', 'dead-lettered'],
      ['replayed', null],
      ['attempt', 'delivered'],
    ]);
    expect(verified(secret)).toHaveLength(4);
    block
      .say('After the replay:')
      .rows(await deliveries())
      .say('The story in the ledger:')
      .rows(story);
  });

  it('[EVI-E] the audit has trace id and status code of every outcome', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] });
    receiver.answers(503, 200);
    await createInvoice(tenantId, 'trace-evidence-e');
    await reaches('DELIVERED');
    const story = await ledger('trace-evidence-e');
    expect(story.map(({ kind, conclusion, status_code }) => [kind, conclusion, status_code])).toEqual([
      ['published', null, null],
      ['attempt', 'retry', 503],
      ['attempt', 'delivered', 200],
    ]);
    expect(receiver.received.map(({ headers }) => headers['x-trace-id'])).toEqual([
      'trace-evidence-e',
      'trace-evidence-e',
    ]);
    page.block('E', 'Delivery audit includes traceId and status codes').rows(story);
  });

  it('[EVI-F] an external endpoint gets what the policy keeps and nothing else', async () => {
    const tenantId = randomUUID();
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE], isExternal: true });
    const rules = [
      { path: '$.invoiceId', action: 'keep' as const },
      { path: '$.totalCents', action: 'keep' as const },
      { path: '$.customer.email', action: 'hash' as const },
    ];
    await createInvoice(tenantId, 'trace-evidence-f1');
    await receiver.receives(1);
    await kernel.app.get(PolicyStore).put({ tenantId, eventType: TYPE, rules, createdBy: 'operator:ada' });
    await createInvoice(tenantId, 'trace-evidence-f2');
    await receiver.receives(2);
    const [withoutPolicy, withPolicy] = receiver.received.map(({ body }) => body.payload);
    expect(withoutPolicy).toEqual({});
    expect(withPolicy).toEqual({
      invoiceId: '7f0c',
      totalCents: 11_900,
      customer: { email: expect.stringMatching(/^hmac-sha256:/) },
    });
    expect(receiver.received.map(({ raw }) => raw.toString()).join()).not.toMatch(/Ada|ada@example\.com|DE123/);
    expect(verified(secret)).toHaveLength(2);
    page
      .block('F', 'Redaction proof for external endpoints')
      .say('The payload as published:')
      .json(invoice)
      .say('The payload as received, without a policy:')
      .json(withoutPolicy)
      .say('The payload as received, under a policy with these rules:')
      .rows(rules)
      .json(withPolicy);
  });
});
