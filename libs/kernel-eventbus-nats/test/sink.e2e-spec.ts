import { randomUUID } from 'node:crypto';
import { dispatcherConformance, waitFor } from '@kernel/eventbus/testing';
import { PostgresSecretVault } from '@kernel/secrets';
import { AckPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { Webhook } from 'standardwebhooks';
import { TYPE } from '@kernel/test-support/admin-api';
import { describeWithNats } from '@kernel/test-support/nats-server';
import { NatsSinkDispatcher } from '../src/index.js';
import { DESTINATION, EVENTS, SinkBench } from './sink-bench.js';

const STREAMS = ['order:1', 'order:2', 'order:3'];
const ROUNDS = 20;
const SHORT_WINDOW_MS = 200;

describeWithNats('the NATS sink', () => {
  let bench: SinkBench;
  beforeAll(async () => {
    bench = await SinkBench.start();
  });
  afterAll(() => bench?.close());

  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))('[SC-006] %s', async (_title, rule) => {
    await expect(rule.check(() => bench.api.kernel.app.get(NatsSinkDispatcher))).resolves.toBeUndefined();
  });

  it('[ADR-2] [KER-2.2] publishes the very webhook, by tenant, stream and type, under the id of the event', async () => {
    const { tenantId, endpointId, secret } = await bench.tenant({ isExternal: false, ordering: 'stream' });
    const { eventId } = await bench.api.publish(tenantId, { streamKey: 'invoice:é.7', payload: { total: 5 } });
    await bench.delivered(endpointId, 1);

    const [message] = await bench.messages(tenantId);
    expect(message!.subject).toBe(`kernel.events.${tenantId}.invoice%3A%C3%A9%2E7.invoice%2Ecreated%2Ev1`);
    const headers = Object.fromEntries(message!.headers!.keys().map((name) => [name, message!.headers!.get(name)]));
    expect(new Webhook(secret).verify(message!.string(), headers)).toMatchObject({ eventId, payload: { total: 5 } });
    expect(headers).toMatchObject({
      'Nats-Msg-Id': eventId,
      'webhook-id': eventId,
      'x-kernel-tenant-id': tenantId,
      'x-kernel-event-type': TYPE,
      'x-kernel-stream-sequence': '1',
      'x-trace-id': expect.any(String),
      traceparent: expect.any(String),
    });
    const [entry] = await bench.api.kernel.database.query<{ excerpt: string }>(
      `select response_excerpt as excerpt from kernel_ledger_entry where event_id = $1 and kind = 'attempt'`,
      [eventId],
    );
    expect(entry!.excerpt).toBe(`KERNEL_EVENTS ${message!.seq}`);
  });

  it.each([
    ['hash', /^hmac-sha256%3A[0-9a-f]{64}$/],
    ['drop', /^_$/],
  ])('[KER-6d] names the stream as the policy lets it out: %s', async (action, token) => {
    const { tenantId, endpointId } = await bench.tenant();
    const rules = [{ path: '@streamKey', action }];
    await bench.api.operator.put(`/policies/${TYPE}`, { tenantId, rules }).expect(200);
    await bench.api.publish(tenantId, { streamKey: 'patient:jane' });
    await bench.delivered(endpointId, 1);
    const [message] = await bench.messages(tenantId);
    expect(message!.subject.split('.')[3]).toMatch(token);
    const headers = message!.headers!.keys().map((name) => message!.headers!.get(name));
    expect(JSON.stringify([message!.subject, message!.string(), headers])).not.toContain('jane');
  });

  it('[KER-6d] redacts for an external endpoint as any other does', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    await bench.api.publish(tenantId, { payload: { email: 'jane@doe.example' } });
    await bench.delivered(endpointId, 1);
    const [message] = await bench.messages(tenantId);
    expect(message!.json()).toMatchObject({ tenantId, payload: {} });
    expect(message!.string()).not.toContain('jane@doe.example');
  });

  it.each([
    'nats:kernel.deliveries.jobs',
    'nats:$JS.API.STREAM.PURGE.KERNEL_EVENTS',
    'nats://127.0.0.1:4222/kernel.events',
  ])('[KER-T] has no destination %s: endpoints are made by tenants', async (url) => {
    const body = { tenantId: randomUUID(), subscribedTypes: [TYPE], url, dispatcher: 'nats' };
    const answer = await bench.api.operator.post('/endpoints', body).expect(400);
    expect(answer.body.errors).toEqual([
      { path: 'url', message: "the only destination of the dispatcher 'nats' is nats:kernel.events" },
    ]);
  });

  it('[KER-6c] publishes no header of the endpoint: neither a credential nor a word to the broker', async () => {
    const tenantId = randomUUID();
    const secret = { tenantId, alias: 'gateway', value: 'gateway-key-that-nobody-may-read' };
    await bench.api.kernel.app.get(PostgresSecretVault, { strict: false }).put(secret);
    const headers = { 'nats-rollup': 'all', 'x-key': { secretAlias: 'gateway' }, 'x-mine': 'yes' };
    const { endpointId } = await bench.api.createEndpoint(tenantId, { ...DESTINATION, headers });
    await bench.api.publish(tenantId);
    await bench.delivered(endpointId!, 1);
    const [message] = await bench.messages(tenantId);
    expect(message!.headers!.keys().toSorted()).toEqual([
      ...['Nats-Expected-Stream', 'Nats-Msg-Id', 'content-type', 'traceparent'],
      ...['webhook-id', 'webhook-signature', 'webhook-timestamp', 'x-kernel-attempt', 'x-kernel-delivery-id'],
      ...['x-kernel-event-type', 'x-kernel-stream-key', 'x-kernel-stream-sequence', 'x-kernel-tenant-id', 'x-trace-id'],
    ]);
  });

  it('sends what the broker can never take to the DLQ at once', async () => {
    const { tenantId, endpointId } = await bench.tenant({ isExternal: false });
    await bench.api.publish(tenantId, { payload: { text: 'x'.repeat(100_000) } });
    await bench.settled(endpointId, 'DLQ');
    expect(await bench.api.deliveryOf(endpointId)).toMatchObject({ attempts: 1, errorClass: 'refused' });
  });

  it('does not count as delivered what another endpoint has published in its place', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    const { endpointId: other } = await bench.api.createEndpoint(tenantId, DESTINATION);
    await bench.api.publish(tenantId);
    const settled = await waitFor(async () => {
      const both = await Promise.all([endpointId, other!].map((id) => bench.api.deliveryOf(id)));
      return both.every((one) => one && one.status !== 'PENDING') && both;
    }, 'both to be settled');
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['DELIVERED', 'DLQ']);
    expect(settled.find(({ status }) => status === 'DLQ')).toMatchObject({
      ...{ attempts: 1, errorClass: 'refused' },
      lastError: expect.stringMatching(/^another endpoint has published this event to the stream KERNEL_EVENTS/),
    });
    expect(await bench.messages(tenantId)).toHaveLength(1);
  });

  const sequencesOf = (messages: JsMsg[], stream: string) =>
    messages
      .filter(({ headers }) => headers!.get('x-kernel-stream-key') === stream)
      .map(({ headers }) => Number(headers!.get('x-kernel-stream-sequence')));

  it('[KER-2.3] keeps each stream in order, once, while the broker is stopped and started under load', async () => {
    const { tenantId, endpointId } = await bench.tenant({ ordering: 'stream' });
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all(STREAMS.map((streamKey) => bench.api.publish(tenantId, { streamKey })));
      if (round === ROUNDS / 4) {
        await bench.server.kill();
      }
      if (round === ROUNDS / 2) {
        await bench.server.start();
      }
    }
    await bench.delivered(endpointId, STREAMS.length * ROUNDS);
    const messages = await bench.messages(tenantId);
    const inOrder = Array.from({ length: ROUNDS }, (_, place) => place + 1);
    for (const stream of STREAMS) {
      expect(sequencesOf(messages, stream)).toEqual(inOrder);
    }
  });

  it('is not held up by a consumer that is slow, and that one misses nothing', async () => {
    const { tenantId, endpointId } = await bench.tenant({ ordering: 'stream' });
    await bench.jsm.consumers.add(EVENTS, {
      durable_name: 'slow',
      ack_policy: AckPolicy.Explicit,
      filter_subject: `kernel.events.${tenantId}.>`,
      max_ack_pending: 1,
    });
    const consumer = await jetstream(bench.nc).consumers.get(EVENTS, 'slow');
    const [first] = await Promise.all([
      consumer.next({ expires: 30_000 }),
      ...Array.from({ length: 30 }, () => bench.api.publish(tenantId)),
    ]);
    await bench.delivered(endpointId, 30);
    const got = [first!];
    first!.ack();
    while (got.length < 30) {
      const next = await waitFor(() => consumer.next({ expires: 1_000 }), 'the next event');
      got.push(next);
      next.ack();
    }
    expect(sequencesOf(got, 'invoice:1')).toEqual(Array.from({ length: 30 }, (_, place) => place + 1));
  });

  it('says that the stream is full, keeps the event and delivers it when there is room', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    const { messages } = (await bench.jsm.streams.info(EVENTS)).state;
    await bench.jsm.streams.update(EVENTS, { max_msgs: messages });
    await bench.api.publish(tenantId);
    const refused = await waitFor(async () => {
      const delivery = await bench.api.deliveryOf(endpointId);
      return delivery?.errorClass === 'unavailable' && delivery;
    }, 'the refusal');
    expect(refused).toMatchObject({ status: 'FAILED', deadLetterReason: null });
    expect(refused.lastError).toBe(
      'the stream KERNEL_EVENTS is full (maximum messages exceeded): raise its limits or let it be read',
    );
    expect(await bench.messages(tenantId)).toEqual([]);

    await bench.jsm.streams.update(EVENTS, { max_msgs: -1 });
    await bench.delivered(endpointId, 1);
    expect(await bench.messages(tenantId)).toHaveLength(1);
  });

  it('[KER-2.2] an event that comes again is dropped within the window of duplicates, and kept after it', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    const { eventId } = await bench.api.publish(tenantId);
    await bench.delivered(endpointId, 1);
    const { deliveryId } = await bench.api.deliveryOf(endpointId);
    const replay = async () => {
      await bench.api.operator.post(`/deliveries/${deliveryId}/replay`, { reason: 'again' }).expect(202);
      await bench.delivered(endpointId, 1);
      return bench.messages(tenantId);
    };
    expect(await replay()).toHaveLength(1);
    const [, repeat] = await bench.api.kernel.database.query<{ excerpt: string }>(
      `select response_excerpt as excerpt from kernel_ledger_entry where event_id = $1 and kind = 'attempt' order by entry_id`,
      [eventId],
    );
    expect(repeat!.excerpt).toMatch(/^KERNEL_EVENTS \d+ \(a repeat, dropped by the broker\)$/);

    await bench.jsm.streams.update(EVENTS, { duplicate_window: nanos(SHORT_WINDOW_MS) });
    const messages = await waitFor(async () => {
      const all = await replay();
      return all.length > 1 ? all : undefined;
    }, 'the window to be over');
    expect(messages.map(({ headers }) => headers!.get('webhook-id'))).toEqual([eventId, eventId]);
  });
});
