import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { v7 as uuidv7 } from 'uuid';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

describe('deliveries', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', retry: { maxAttempts: 2, initialDelayMs: 5, maxDelayMs: 10 } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(() => api.close());

  const settled = (endpointId: string, status: string) =>
    waitFor(async () => {
      const delivery = await api.deliveryOf(endpointId);
      return delivery.status === status ? delivery : undefined;
    }, `${status} for ${endpointId}`);

  it('[KER-3.3] [KER-1] [FR-022a] are shown with every attempt, oldest first, as the ledger has them', async () => {
    receiver.answers({ statusCode: 503, body: 'busy' });
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const { eventId } = await api.publish(tenantId);
    const listed = await settled(endpointId!, 'DELIVERED');

    const { body } = await api.operator.get(`/deliveries/${listed.deliveryId as string}`).expect(200);
    expect(body).toEqual({
      deliveryId: listed.deliveryId,
      tenantId,
      endpointId,
      eventId,
      eventType: TYPE,
      status: 'DELIVERED',
      attempts: 2,
      lastStatusCode: 204,
      traceId: 'trace-0001',
      errorClass: 'http_5xx',
      lastError: 'answered 503',
      lastErrorRef: expect.any(String),
      lastErrorAt: expect.stringMatching(/Z$/),
      deadLetterReason: null,
      isParked: false,
      dispatchedAt: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/Z$/),
      settledAt: expect.stringMatching(/Z$/),
      attemptLog: [
        {
          attempt: 1,
          at: expect.stringMatching(/Z$/),
          statusCode: 503,
          latencyMs: expect.any(Number),
          errorClass: 'http_5xx',
          responseExcerpt: 'busy',
          policyVersion: null,
          bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        expect.objectContaining({ attempt: 2, statusCode: 204, errorClass: null }),
      ],
    });
    const { body: entry } = await api.operator.get('/audit', { deliveryId: body.deliveryId, kind: 'attempt' });
    expect((entry.items as { entryId: string }[]).map(({ entryId }) => entryId)).toContain(body.lastErrorRef);
  });

  it('[KER-T] are found by the stream of their event, within what one may see', async () => {
    const { tenantId: own, client } = await api.tenantAdmin();
    const stranger = await api.tenantAdmin();
    await api.createEndpoint(own, { url: receiver.url });
    const { eventId } = await api.publish(own, { streamKey: 'order:1' });
    await api.publish(own, { streamKey: 'order:2' });
    await receiver.receives(2);
    const find = async (who: typeof client, query: Record<string, string>) =>
      ((await who.get('/deliveries', query).expect(200)).body.items as { eventId: string }[]).map(
        (item) => item.eventId,
      );
    await waitFor(async () => (await find(client, {})).length === 2, 'both to be written');

    expect(await find(client, { streamKey: 'order:1' })).toEqual([eventId]);
    expect(await find(api.operator, { streamKey: 'order:1' })).toEqual([eventId]);
    expect(await find(api.operator, { streamKey: 'order:1', tenantId: own })).toEqual([eventId]);
    expect(await find(client, { streamKey: 'order:3' })).toEqual([]);
    expect(await find(stranger.client, { streamKey: 'order:1' })).toEqual([]);
  });

  it('[KER-2.4] [KER-6e] [FR-022a] are replayed from the DLQ, and the ledger says who, when, why and which', async () => {
    receiver.answers(500, 500);
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const { eventId } = await api.publish(tenantId);
    const dead = await settled(endpointId!, 'DLQ');
    expect(dead).toMatchObject({
      eventId,
      attempts: 2,
      lastError: 'answered 500',
      deadLetterReason: 'attempts_exhausted',
    });
    const { client, token } = await api.tenantAdmin(tenantId);
    const { body: tokens } = await api.operator.get('/tokens', { limit: 1 });

    const { body } = await client
      .post(`/deliveries/${dead.deliveryId as string}/replay`, { reason: '  the receiver is back  ' })
      .expect(202);
    expect(body).toMatchObject({ deliveryId: dead.deliveryId, status: 'PENDING', attempts: 0, deadLetterReason: null });

    const delivered = await settled(endpointId!, 'DELIVERED');
    expect(delivered.attempts).toBe(1);
    const { body: audit } = await client.get('/audit', { kind: 'replayed', deliveryId: body.deliveryId }).expect(200);
    expect(audit.items).toEqual([
      expect.objectContaining({
        kind: 'replayed',
        actor: `tenant admin (${tokens.items[0].tokenId as string})`,
        reason: 'the receiver is back',
        recordedAt: expect.stringMatching(/Z$/),
        tenantId,
        endpointId,
        deliveryId: body.deliveryId,
        detail: { before: { status: 'DLQ', attempts: 2 }, after: { status: 'PENDING', attempts: 0 } },
      }),
    ]);
    expect(JSON.stringify(audit)).not.toContain(token);
    const { body: history } = await client.get(`/deliveries/${body.deliveryId as string}`).expect(200);
    expect((history.attemptLog as { attempt: number }[]).map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  });

  it('are not replayed while they are open, and the ledger has nothing of it', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { subscribedTypes: ['other.v1'] });
    const deliveryId = await api.addDelivery(tenantId, endpointId!);
    const before = await api.ledger('replayed');
    const { body } = await api.operator.post(`/deliveries/${deliveryId}/replay`, { reason: 'impatient' }).expect(409);
    expect(body).toMatchObject({ type: 'urn:kernel:problem:conflict', detail: expect.stringContaining('PENDING') });
    expect(await api.ledger('replayed')).toEqual(before);
  });

  it('are filtered by status, endpoint, event, type, trace and time', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { isEnabled: false, subscribedTypes: ['other.v1'] });
    const open = await api.addDelivery(tenantId, endpointId!);
    const dead = await api.addDelivery(tenantId, endpointId!, 'DLQ');
    const found = async (query: Record<string, string>) => {
      const { body } = await api.operator.get('/deliveries', { tenantId, ...query }).expect(200);
      return (body.items as { deliveryId: string }[]).map(({ deliveryId }) => deliveryId);
    };
    const { body } = await api.operator.get(`/deliveries/${dead}`).expect(200);
    // A trace is found through the ledger, which notes an event when it is routed.
    await waitFor(async () => (await found({ traceId: 'trace-0001' })).length === 2, 'both events to be routed');

    expect(await found({})).toEqual([dead, open]);
    expect(await found({ status: 'DLQ' })).toEqual([dead]);
    expect(await found({ endpointId: endpointId! })).toEqual([dead, open]);
    expect(await found({ endpointId: randomUUID() })).toEqual([]);
    expect(await found({ eventId: body.eventId as string })).toEqual([dead]);
    expect(await found({ type: TYPE })).toEqual([dead, open]);
    expect(await found({ type: 'x' })).toEqual([]);
    expect(await found({ traceId: 'trace-0001' })).toEqual([dead, open]);
    expect(await found({ traceId: 'trace-x' })).toEqual([]);
    expect(await found({ since: '0001-01-01T00:00:00Z', until: '9999-01-01T00:00:00Z' })).toEqual([dead, open]);
    const at = '2020-01-01T00:00:00Z';
    const old = uuidv7({ msecs: new Date(at).getTime() });
    await api.kernel.database.query(
      `update kernel_webhook_delivery set created_at = $1, delivery_id = $2 where delivery_id = $3`,
      [at, old, open],
    );
    expect(await found({ since: '2020-01-01T00:00:00Z', until: '2020-01-01T00:00:00.001Z' })).toEqual([old]);
    expect(await found({ since: '2020-01-01T00:00:00.001Z' })).toEqual([dead]);
    expect(await found({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
  });
});
