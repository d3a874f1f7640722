import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dispatcherConformance, waitFor } from '@kernel/eventbus/testing';
import { PostgresSecretVault } from '@kernel/secrets';
import { Test } from '@nestjs/testing';
import { Webhook } from 'standardwebhooks';
import { describeWithNats } from '@kernel/test-support/nats-server';
import { NatsDeliveryWorkerModule, NatsQueueDispatcher } from '../src/index.js';
import { QueueBench } from './queue-bench.js';

const CREDENTIAL = 'gateway-key-that-nobody-may-read';

describeWithNats('the NATS queue', () => {
  let bench: QueueBench;
  beforeAll(async () => {
    bench = await QueueBench.start();
    const { tenantId, kernel } = bench;
    const credential = { tenantId, alias: 'gateway', value: CREDENTIAL };
    await kernel.app.get(PostgresSecretVault, { strict: false }).put(credential);
    await bench.database.query(`update kernel_webhook_endpoint set headers = '{"x-key": {"secretAlias": "gateway"}}'`);
  });
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.receiver.received.length = 0;
    bench.receiver.answers().otherwise(204);
  });

  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))('[SC-006] %s', async (_title, rule) => {
    await expect(rule.check(() => bench.kernel.app.get(NatsQueueDispatcher))).resolves.toBeUndefined();
  });

  it('[FR-016] [FR-023a] keeps a delivery PENDING until a worker elsewhere has sent it, whole and signed', async () => {
    const { eventId } = await bench.publish({ total: 'é 5' });
    await waitFor(async () => (await bench.waitingJobs()) === 1, 'a job in the queue');
    expect(await bench.delivery(eventId)).toMatchObject({ status: 'PENDING', attempts: 0 });

    await bench.startWorker();
    const [webhook] = await bench.receiver.receives(1);
    expect(new Webhook(bench.secret).verify(webhook!.raw, webhook!.headers as Record<string, string>)).toMatchObject({
      eventId,
      payload: { total: 'é 5' },
    });
    expect(webhook!.headers).toMatchObject({
      'webhook-id': eventId,
      'x-kernel-attempt': '1',
      'x-trace-id': 'nats-queue-1',
    });
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1, lastStatusCode: 204 });
    await waitFor(async () => (await bench.waitingJobs()) === 0, 'the job to be gone');

    const [entry] = await bench.database.query<{ detail: object }>(
      `select detail from kernel_ledger_entry where event_id = $1 and kind = 'attempt'`,
      [eventId],
    );
    expect(entry!.detail).toEqual({ dispatcher: 'nats-queue', handoff: 'enqueued' });
  });

  it('[FR-010d] leaves retries to the engine: each attempt is a job of its own', async () => {
    bench.receiver.answers(500, { statusCode: 503, headers: { 'retry-after': '0' } });
    const { eventId } = await bench.publish();
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 3 });
    expect(bench.receiver.received.map(({ headers }) => headers['x-kernel-attempt'])).toEqual(['1', '2', '3']);

    bench.receiver.answers(422);
    const refused = await bench.publish();
    expect(await bench.settled(refused.eventId, 'DLQ')).toMatchObject({ attempts: 1, lastStatusCode: 422 });
  });

  it("[KER-6c] puts nothing readable into the broker: neither payload nor an endpoint's credential nor the secret", async () => {
    const seen: string[] = [];
    const subscription = bench.nc.subscribe('kernel.deliveries.>', {
      callback: (_error, { subject, data, headers }) => {
        seen.push([subject, headers?.toString(), Buffer.from(data).toString('latin1')].join(' '));
      },
    });
    bench.receiver.answers({ statusCode: 200, body: 'echo of jane@doe.example' });
    const { eventId } = await bench.publish({ email: 'jane@doe.example' });
    await bench.settled(eventId, 'DELIVERED');
    subscription.unsubscribe();
    expect(seen).toHaveLength(2);
    expect(bench.receiver.received[0]!.body).toMatchObject({ payload: { email: 'jane@doe.example' } });
    expect(bench.receiver.received[0]!.headers['x-key']).toBe(CREDENTIAL);
    for (const word of [CREDENTIAL, 'jane@doe.example', 'webhook-signature', bench.secret, bench.receiver.url]) {
      expect(seen.join('\n')).not.toContain(word);
    }
  });

  it('[FR-015] sends by all workers at once, each as much as it has places for', async () => {
    await bench.stopWorkers();
    const gate = Promise.withResolvers<void>();
    const arrived: string[] = [];
    const slow = createServer((request, response) => {
      arrived.push(String(request.headers['webhook-id']));
      void gate.promise.then(() => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    await bench.kernel.addEndpoint({ tenantId: bench.tenantId, url, types: ['order.slow.v1'] });
    await Promise.all([bench.startWorker({ concurrency: 2 }), bench.startWorker({ concurrency: 2 })]);
    const events = await Promise.all(
      Array.from({ length: 12 }, (_, place) => bench.publish({ place }, `s:${place}`, 'order.slow.v1')),
    );
    await waitFor(async () => arrived.length === 4 && (await bench.waitingJobs()) === 12, 'every place to be taken');
    gate.resolve();
    await Promise.all(events.map(({ eventId }) => bench.settled(eventId, 'DELIVERED')));
    slow.closeAllConnections();
    slow.close();
    expect(arrived.toSorted()).toEqual(events.map(({ eventId }) => eventId).toSorted());
  });

  it('[KER-6] makes no exception for a url that a tenant admin has set', async () => {
    const setByOperator = (value: boolean) =>
      bench.database.query('update kernel_webhook_endpoint set operator_url = case when $1 then url end', [value]);
    await setByOperator(false);
    const { eventId } = await bench.publish();
    expect(await bench.settled(eventId, 'DLQ')).toMatchObject({
      errorClass: 'guard',
      lastError: expect.stringMatching(/let an operator set this URL/),
    });
    await setByOperator(true);
    expect(bench.receiver.received).toEqual([]);
  });

  it("[FR-013] vets every request where it is sent: a worker's own guard has the last word", async () => {
    await bench.stopWorkers();
    const { server, queue } = bench;
    const options = { connection: { servers: server.url }, queue, outgoing: { allowHttp: true } };
    const imports = [NatsDeliveryWorkerModule.forRoot(options)];
    const elsewhere = await (await Test.createTestingModule({ imports }).compile()).init();
    const { eventId } = await bench.publish();
    expect(await bench.settled(eventId, 'DLQ')).toMatchObject({
      errorClass: 'guard',
      lastError: expect.stringMatching(/the address 127.0.0.1 is not public/),
    });
    expect(bench.receiver.received).toEqual([]);
    await elsewhere.close();
  });
});
