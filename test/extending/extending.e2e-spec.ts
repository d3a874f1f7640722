import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dispatcherConformance, waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { ApiKeyMiddleware } from './api-key.middleware.js';
import { DottedSelector } from './dotted-selector.js';
import { FileDispatcher } from './file-dispatcher.js';
import { OrderCounter } from './order-counter.handler.js';
import { TestDataMiddleware } from './test-data.middleware.js';

describe('the examples of docs/extending.md', () => {
  const tenantId = randomUUID();
  let directory: string;
  let file: string;
  let receiver: WebhookReceiver;
  let database: TestDatabase;
  let kernel: KernelApp;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kernel-extending-'));
    file = join(directory, 'webhooks.ndjson');
    receiver = await WebhookReceiver.start();
    database = await createTestDatabase();
    await database.query('create table order_count (tenant_id uuid primary key, orders int not null)');
    kernel = await startKernelApp({
      database,
      dispatchers: [new FileDispatcher(file)],
      invokerMiddleware: [ApiKeyMiddleware],
      broadcastMiddleware: [TestDataMiddleware],
      fieldSelector: new DottedSelector(),
      providers: [OrderCounter],
    });
  });
  afterEach(async () => {
    await kernel.close();
    await database.drop();
    await receiver.stop();
    await rm(directory, { recursive: true });
  });

  const publish = (payload: Record<string, unknown>) =>
    kernel.outbox.publishDetached({
      tenantId,
      type: 'order.placed.v1',
      streamKey: `order:${randomUUID()}`,
      traceId: 'trace-0001',
      payload,
    });
  const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);

  it('work together', async () => {
    const types = ['order.placed.v1'];
    const partner = await kernel.addEndpoint({ tenantId, url: 'https://partner.example/hook', types });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types });
    await database.query(
      `update kernel_webhook_endpoint set dispatcher = 'file',
         subscriptions = '[{"type":"order.placed.v1","match":"all","predicates":[{"path":"customer.region","operator":"equals","value":"EU"}]}]'
       where endpoint_id = $1`,
      [partner.endpointId],
    );
    await publish({ customer: { region: 'EU' } });
    await publish({ customer: { region: 'US' } });
    await publish({ customer: { region: 'EU' }, isTest: true });

    await receiver.receives(2);
    await waitFor(async () => (await lines()).length === 1, 'the file to have its line');
    expect(JSON.parse((await lines())[0]!)).toMatchObject({
      url: 'https://partner.example/hook',
      headers: { 'x-api-key': expect.any(String), 'webhook-signature': expect.stringMatching(/^v1,/) },
    });
    await waitFor(
      async () => (await database.query<{ orders: number }>('select orders from order_count'))[0]?.orders === 2,
      'the handler to have counted two orders',
    );
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]!.headers['x-api-key']).toBeUndefined();
  });

  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))(
    'the dispatcher keeps the rules: %s',
    async (_title, rule) => {
      await expect(rule.check(() => new FileDispatcher(file))).resolves.toBeUndefined();
    },
  );
});
