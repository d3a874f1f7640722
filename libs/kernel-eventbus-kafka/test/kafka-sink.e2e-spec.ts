import { randomUUID } from 'node:crypto';
import { KafkaDispatcher, KafkaSinkModule } from '@kernel/eventbus-kafka';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { waitFor } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { describeWithKcat, MockCluster, type ReadMessage } from './mock-cluster.js';
import { Relay } from './relay.js';

const TOPICS = ['orders', 'streams', 'shared', 'late', 'tenant.{tenantId}.{type}'];
const PATIENT = { maxAttempts: 100, initialDelayMs: 50, maxDelayMs: 300 };

describeWithKcat('[ADR-2] the Kafka sink, on brokers that speak the protocol', () => {
  let relay: Relay;
  let cluster: MockCluster;
  let api: AdminApi;
  beforeAll(async () => {
    relay = await Relay.start();
    cluster = await MockCluster.start();
    relay.target = cluster.brokers[0];
    api = await AdminApi.start({
      role: 'all',
      dispatchers: [KafkaDispatcher],
      circuit: { failures: 1_000 },
      imports: [
        EventBusAdminModule,
        KafkaSinkModule.forRootAsync({
          useFactory: () => ({ brokers: [relay.address], topics: TOPICS, requestTimeoutMs: 20_000 }),
        }),
      ],
    });
  });
  afterAll(async () => {
    await api.close();
    await cluster.stop();
    await relay.stop();
  });

  const create = (tenantId: string, topic: string, settings: Record<string, unknown> = {}) =>
    api.createEndpoint(tenantId, { url: `kafka:${topic}`, dispatcher: 'kafka', ...settings });
  const read = (topic: string, count: number): Promise<ReadMessage[]> =>
    waitFor(async () => {
      const messages = await cluster.read(topic);
      return messages.length >= count ? messages : undefined;
    }, `${count} messages in ${topic}`);
  const delivery = (endpointId: string, isSo: (delivery: Record<string, unknown>) => boolean) =>
    waitFor(async () => {
      const found = await api.deliveryOf(endpointId);
      return isSo(found) ? found : undefined;
    }, `the delivery of ${endpointId} to change`);

  it.each([
    ['hash', /^[0-9a-f-]{36}:hmac-sha256:[0-9a-f]{64}$/],
    ['drop', /^[0-9a-f-]{36}:$/],
  ])('[KER-6d] keys messages by the stream key as the policy lets it out: %s', async (action, key) => {
    const tenantId = randomUUID();
    const topic = `tenant.${tenantId}.${TYPE}`;
    await api.operator.put(`/policies/${TYPE}`, { tenantId, rules: [{ path: '@streamKey', action }] }).expect(200);
    await create(tenantId, 'tenant.{tenantId}.{type}');
    await api.publish(tenantId, { streamKey: 'patient:jane' });
    await api.publish(tenantId, { streamKey: 'patient:jane' });
    const messages = await read(topic, 2);
    expect(messages[0]!.key).toMatch(key);
    expect(messages[1]).toMatchObject({ key: messages[0]!.key, partition: messages[0]!.partition });
    expect(JSON.stringify(messages)).not.toContain('jane');
  });

  it('[KER-6d] writes the redacted envelope with the headers of a webhook, keyed by tenant and stream', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await create(tenantId, 'orders', { headers: { 'x-mine': 'yes' } });
    const { eventId } = await api.publish(tenantId, { streamKey: 'invoice:é', payload: { email: 'a@b.example' } });
    const [message] = await read('orders', 1);
    expect(message!.key).toBe(`${tenantId}:invoice:é`);
    const body = JSON.parse(message!.payload) as Record<string, unknown>;
    expect(body).toMatchObject({ eventId, tenantId, type: TYPE, streamKey: 'invoice:é', payload: {} });
    expect(message!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-signature': expect.stringMatching(/^v1,/),
      'x-kernel-tenant-id': tenantId,
      'x-kernel-stream-sequence': '1',
      'x-trace-id': 'trace-0001',
    });
    expect(message!.headers).not.toHaveProperty('x-mine');
    const { deliveryId, ...settled } = await delivery(endpointId!, ({ status }) => status === 'DELIVERED');
    expect(settled).toMatchObject({ attempts: 1, lastStatusCode: 200 });
    const { body: shown } = await api.operator.get(`/deliveries/${String(deliveryId)}`).expect(200);
    const { partition, offset } = message!;
    expect(JSON.parse(shown.attemptLog[0].responseExcerpt as string)).toEqual({
      topic: 'orders',
      partition,
      offset: String(offset),
    });
  });

  it('[KER-2.3] keeps the order of every stream, each in one partition', async () => {
    const tenantId = randomUUID();
    await create(tenantId, 'streams', { ordering: 'stream' });
    for (let round = 0; round < 8; round++) {
      await Promise.all(
        Array.from({ length: 12 }, (_, stream) => api.publish(tenantId, { streamKey: `order:${stream}` })),
      );
    }
    const messages = await read('streams', 96);
    const byKey = Map.groupBy(messages, ({ key }) => key);
    expect(byKey.size).toBe(12);
    for (const ofStream of byKey.values()) {
      expect(new Set(ofStream.map(({ partition }) => partition)).size).toBe(1);
      const sequences = ofStream
        .toSorted((a, b) => a.offset - b.offset)
        .map(({ headers }) => headers['x-kernel-stream-sequence']);
      expect(sequences).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    }
    expect(new Set(messages.map(({ partition }) => partition)).size).toBeGreaterThan(1);
  });

  it("agrees with Java's producers on the partition of a key", async () => {
    const tenantId = randomUUID();
    await create(tenantId, 'shared');
    const streams = Array.from({ length: 8 }, (_, place) => `order:${place}`);
    for (const streamKey of streams) {
      await api.publish(tenantId, { streamKey });
    }
    await Promise.all(streams.map((streamKey) => cluster.write('shared', `${tenantId}:${streamKey}`)));
    const byKey = Map.groupBy(await read('shared', 16), ({ key }) => key);
    expect([...byKey.values()].map((ofKey) => new Set(ofKey.map(({ partition }) => partition)).size)).toEqual(
      streams.map(() => 1),
    );
  });

  it('makes the topic of tenant and type, and refuses at once where these make none', async () => {
    const tenantId = randomUUID();
    const odd = 'order placed.v1';
    const { endpointId } = await create(tenantId, 'tenant.{tenantId}.{type}', { subscribedTypes: [TYPE, odd] });
    const { eventId } = await api.publish(tenantId);
    const [message] = await read(`tenant.${tenantId}.${TYPE}`, 1);
    expect(message!.headers['webhook-id']).toBe(eventId);
    await api.publish(tenantId, { type: odd });
    expect(await delivery(endpointId!, ({ status }) => status === 'DLQ')).toMatchObject({
      attempts: 1,
      errorClass: 'refused',
      lastError: expect.stringContaining('characters that no topic may have'),
    });
  });

  it('sends a test webhook', async () => {
    const { endpointId } = await create(randomUUID(), 'late');
    const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(body).toMatchObject({ delivered: true, statusCode: 200, errorClass: null });
    const [message] = await read('late', 1);
    expect(message!.headers['x-kernel-event-type']).toBe('kernel.ping.v1');
  });

  it.each(['kafka:secrets', 'kafka:', 'kafka://127.0.0.1:9092/orders', 'kafka:orders?acks=0'])(
    'does not take %s, and says what it takes',
    async (url) => {
      const wanted = { tenantId: randomUUID(), url, dispatcher: 'kafka', subscribedTypes: [TYPE] };
      const { body } = await api.operator.post('/endpoints', wanted).expect(400);
      expect(body.errors).toEqual([
        { path: 'url', message: expect.stringContaining('one of kafka:orders, kafka:streams,') },
      ]);
    },
  );

  it('[ADR-3] keeps the event while the brokers hang, and delivers it when they answer again', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await create(tenantId, 'late', { timeoutMs: 800, retry: PATIENT });
    cluster.freeze();
    const { eventId } = await api.publish(tenantId);
    const failed = await delivery(endpointId!, ({ attempts }) => (attempts as number) >= 1);
    cluster.thaw();
    expect(failed).toMatchObject({ status: 'FAILED', errorClass: 'timeout' });
    await delivery(endpointId!, ({ status }) => status === 'DELIVERED');
    const ids = (await cluster.read('late')).map(({ headers }) => headers['webhook-id']);
    expect(ids).toContain(eventId);
  });

  it('[ADR-3] keeps the event while there are no brokers, and delivers it to new ones', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await create(tenantId, 'orders', { retry: PATIENT });
    relay.target = undefined;
    await cluster.stop();
    const { eventId } = await api.publish(tenantId);
    const failed = await delivery(endpointId!, ({ attempts }) => (attempts as number) >= 1);
    expect(failed).toMatchObject({ status: 'FAILED', errorClass: 'connection' });
    expect(failed.lastError).toMatch(/^no broker can be reached \(\w+\)$/);

    cluster = await MockCluster.start();
    relay.target = cluster.brokers[0];
    await delivery(endpointId!, ({ status }) => status === 'DELIVERED');
    const messages = await read('orders', 1);
    expect(messages.map(({ headers }) => headers['webhook-id'])).toContain(eventId);
  });

  it('lets go of its connections when the application stops', async () => {
    expect(relay.open.size).toBeGreaterThan(0);
    await api.kernel.app.close();
    await waitFor(() => relay.open.size === 0, 'the connections to be closed');
  });
});
