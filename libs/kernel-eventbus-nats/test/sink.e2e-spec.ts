import { dispatcherConformance } from '@kernel/eventbus/testing';
import { Webhook } from 'standardwebhooks';
import { TYPE } from '../../kernel-eventbus/test/admin/admin-api.js';
import { describeWithNats } from '../../../test/support/nats-server.js';
import { NatsSinkDispatcher } from '../src/index.js';
import { SinkBench } from './sink-bench.js';

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

  it('[KER-6d] redacts for an external endpoint as any other does', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    await bench.api.publish(tenantId, { payload: { email: 'jane@doe.example' } });
    await bench.delivered(endpointId, 1);
    const [message] = await bench.messages(tenantId);
    expect(message!.json()).toMatchObject({ tenantId, payload: {} });
    expect(message!.string()).not.toContain('jane@doe.example');
  });

  it.each(['nats:kernel.deliveries.jobs', 'nats:$JS.API.STREAM.PURGE.KERNEL_EVENTS', 'nats://127.0.0.1:4222/kernel.events'])(
    '[KER-T] has no destination %s: endpoints are made by tenants',
    async (url) => {
      const body = { tenantId: crypto.randomUUID(), subscribedTypes: [TYPE], url, dispatcher: 'nats' };
      const answer = await bench.api.operator.post('/endpoints', body).expect(400);
      expect(answer.body.errors).toEqual([
        { path: 'url', message: "the only destination of the dispatcher 'nats' is nats:kernel.events" },
      ]);
    },
  );

  it("leaves the broker's own headers to the broker", async () => {
    const { tenantId, endpointId } = await bench.tenant({ headers: { 'nats-rollup': 'all', 'x-mine': 'yes' } });
    await bench.api.publish(tenantId);
    await bench.delivered(endpointId, 1);
    const [message] = await bench.messages(tenantId);
    expect(message!.headers!.get('x-mine')).toBe('yes');
    expect(message!.headers!.keys().filter((name) => name.toLowerCase() === 'nats-rollup')).toEqual([]);
  });

  it('sends what the broker can never take to the DLQ at once', async () => {
    const { tenantId, endpointId } = await bench.tenant({ isExternal: false });
    await bench.api.publish(tenantId, { payload: { text: 'x'.repeat(100_000) } });
    await bench.settled(endpointId, 'DLQ');
    expect(await bench.api.deliveryOf(endpointId)).toMatchObject({ attempts: 1, errorClass: 'refused' });
  });
});
