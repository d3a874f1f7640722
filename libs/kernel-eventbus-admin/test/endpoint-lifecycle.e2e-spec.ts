import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { Webhook } from 'standardwebhooks';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { SlowReceiver } from '@kernel/test-support/slow-receiver';

/** Longer than any test: a failed delivery waits unless an action makes it due. */
const LONG_MS = 600_000;

describe('what a change of an endpoint does to its deliveries', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', retry: { initialDelayMs: LONG_MS, maxDelayMs: LONG_MS } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(() => api.close());

  const status = (endpointId: string, wanted: string) =>
    waitFor(async () => {
      const delivery = await api.deliveryOf(endpointId);
      return delivery.status === wanted ? delivery : undefined;
    }, `${wanted} for ${endpointId}`);

  /** An endpoint with one delivery that failed once and waits for its retry. */
  async function failedOnce(): Promise<{ endpointId: string; deliveryId: string }> {
    receiver.answers(500);
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    await api.publish(tenantId);
    const { deliveryId } = await status(endpointId!, 'FAILED');
    return { endpointId: endpointId!, deliveryId: deliveryId as string };
  }

  const makeDue = (deliveryId: string) =>
    api.kernel.database.query(
      `update kernel_webhook_delivery set next_attempt_at = clock_timestamp() where delivery_id = $1`,
      [deliveryId],
    );

  const routed = (eventId: string) =>
    waitFor(async () => {
      const { body } = await api.operator.get(`/events/${eventId}`).expect(200);
      return body.status === 'PUBLISHED';
    }, 'the event to be routed');

  it('disabling parks what is open: it keeps status and attempts and is not sent when its time comes', async () => {
    const { endpointId, deliveryId } = await failedOnce();
    const before = (await api.operator.get(`/deliveries/${deliveryId}`).expect(200)).body;
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    await makeDue(deliveryId);

    // A later event that is delivered elsewhere proves that the worker could have sent the first one.
    const witness = await api.createEndpoint(tenantId, { url: receiver.url, subscribedTypes: ['witness.v1'] });
    await api.publish(tenantId, { type: 'witness.v1' });
    await status(witness.endpointId!, 'DELIVERED');

    const { body } = await api.operator.get(`/deliveries/${deliveryId}`).expect(200);
    expect(body).toEqual({ ...before, isParked: true, nextAttemptAt: expect.any(String) });
    expect(body).toMatchObject({ status: 'FAILED', attempts: 1 });
    expect(receiver.received).toHaveLength(2);
  });

  it('enabling resumes what was parked, and what came due meanwhile goes out at once', async () => {
    const { endpointId, deliveryId } = await failedOnce();
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    const whileDisabled = await api.publish(tenantId);
    await routed(whileDisabled.eventId);
    await makeDue(deliveryId);
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);

    const delivered = await status(endpointId, 'DELIVERED');
    expect(delivered).toMatchObject({ deliveryId, attempts: 2, isParked: false });
    const { body } = await api.operator.get('/deliveries', { endpointId }).expect(200);
    expect(body.items).toHaveLength(1);
  });

  it('enabling leaves a retry that is not due yet for its time', async () => {
    const { endpointId, deliveryId } = await failedOnce();
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
    const { body } = await api.operator.get(`/deliveries/${deliveryId}`).expect(200);
    expect(body).toMatchObject({ status: 'FAILED', attempts: 1, isParked: false });
    expect(Date.parse(body.nextAttemptAt as string)).toBeGreaterThan(Date.now() + LONG_MS / 2);
  });

  it('a new URL and a new alias count from the next attempt on', async () => {
    const { endpointId, deliveryId } = await failedOnce();
    const other = await WebhookReceiver.start();
    const { body: secret } = await api.operator.post('/secrets', { tenantId, alias: 'rotated' }).expect(201);
    await api.operator.patch(`/endpoints/${endpointId}`, { url: other.url, signingSecretAlias: 'rotated' }).expect(200);
    await makeDue(deliveryId);

    const [webhook] = await other.receives(1);
    const headers = webhook!.headers as Record<string, string>;
    expect(() => new Webhook(secret.value as string).verify(webhook!.raw, headers)).not.toThrow();
    expect(receiver.received).toHaveLength(1);
    await status(endpointId, 'DELIVERED');
    await other.stop();
  });

  it('deleting moves what is open to the DLQ with a ledger entry each, keeps the history, and replay is 409', async () => {
    const { endpointId, deliveryId } = await failedOnce();
    await api.operator.delete(`/endpoints/${endpointId}`).set('x-trace-id', 'delete-trace').expect(204);

    const { body } = await api.operator.get(`/deliveries/${deliveryId}`).expect(200);
    expect(body).toMatchObject({
      status: 'DLQ',
      attempts: 1,
      deadLetterReason: 'endpoint_deleted',
      settledAt: expect.stringMatching(/Z$/),
      attemptLog: [expect.objectContaining({ statusCode: 500 })],
    });
    expect(body).not.toHaveProperty('nextAttemptAt');
    const { body: dead } = await api.operator.get('/audit', { deliveryId, kind: 'dead-lettered' }).expect(200);
    expect(dead.items).toEqual([
      expect.objectContaining({
        reason: 'endpoint_deleted',
        actor: 'admin-token',
        traceId: 'trace-0001',
        eventType: TYPE,
        tenantId,
        endpointId,
      }),
    ]);
    const { body: deleted } = await api.operator.get('/audit', { endpointId, kind: 'endpoint-deleted' }).expect(200);
    expect(deleted.items).toEqual([
      expect.objectContaining({
        traceId: 'delete-trace',
        detail: expect.objectContaining({ deadLettered: 1, before: expect.objectContaining({ isEnabled: true }) }),
      }),
    ]);

    const { body: conflict } = await api.operator
      .post(`/deliveries/${deliveryId}/replay`, { reason: 'again' })
      .expect(409);
    expect(conflict.detail).toContain('deleted');
  });

  it('an attempt that is in flight while its endpoint is deleted does not change the outcome', async () => {
    const answered = Promise.withResolvers<void>();
    const slow = await SlowReceiver.start(answered.promise);
    const { endpointId } = await api.createEndpoint(tenantId, { url: slow.url });
    await api.publish(tenantId);
    await slow.isAsked;
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    answered.resolve();

    const attempt = await waitFor(async () => {
      const { body } = await api.operator.get('/audit', { endpointId: endpointId!, kind: 'attempt' }).expect(200);
      return (body.items as unknown[])[0];
    }, 'the attempt to be noted');
    expect(attempt).toMatchObject({ attempt: 1, conclusion: null, reason: null });
    expect(await api.deliveryOf(endpointId!)).toMatchObject({ status: 'DLQ', deadLetterReason: 'endpoint_deleted' });
    await slow.stop();
  });

  it('[KER-2.2] switching an endpoint off and on while it is delivered to loses nothing', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const count = 600;
    const events = Array.from({ length: count }, (_, n) => ({
      tenantId,
      type: TYPE,
      streamKey: `s:${n}`,
      traceId: 'trace-0001',
    }));
    await api.kernel.em.fork().transactional((em) => api.kernel.outbox.publishAll(events, { em }));
    const countDeliveries = async (condition: string) => {
      const [row] = await api.kernel.database.query<{ count: number }>(
        `select count(*)::int as count from kernel_webhook_delivery where endpoint_id = $1 and ${condition}`,
        [endpointId],
      );
      return row!.count;
    };
    await waitFor(async () => (await countDeliveries('true')) === count, 'all events to be routed');

    let switches = 0;
    while ((await countDeliveries(`status <> 'DELIVERED'`)) > 0 && switches < 200) {
      await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
      await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
      switches += 1;
    }
    expect(switches).toBeGreaterThan(0);
    await waitFor(async () => (await countDeliveries(`status = 'DELIVERED'`)) === count, 'everything to be delivered');
    expect(await countDeliveries('attempts <> 1')).toBe(0);
  });
});
