import { randomUUID } from 'node:crypto';
import { defineEvent } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { z } from 'zod';

const STREAM = 'patient:jane@doe.example';
const HASHED = /^hmac-sha256:[0-9a-f]{64}$/;
const KEEP_ALL = { path: '$', action: 'keep' };

interface Redacted {
  removed: { path: string }[];
  changed: { path: string }[];
}

describe('@streamKey in privacy policies', () => {
  const declared = defineEvent({
    type: 'declared-stream.v1',
    schema: z.any(),
    privacy: { rules: [{ path: '@streamKey', action: 'hash' }] },
  });
  let api: AdminApi;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    api = await AdminApi.start({ role: 'all', events: [declared] });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  const rulesWith = (action: string | undefined) => [KEEP_ALL, ...(action ? [{ path: '@streamKey', action }] : [])];

  /** Publishes two events of one stream to an ordered endpoint under the rule, and returns what went out. */
  async function deliver(tenantId: string, settings: object = {}, type = TYPE) {
    const { endpointId } = await api.createEndpoint(tenantId, {
      ...{ url: receiver.url, ordering: 'stream', subscribedTypes: [type], ...settings },
    });
    const events = [
      await api.publish(tenantId, { type, streamKey: STREAM, payload: { id: 1 } }),
      await api.publish(tenantId, { type, streamKey: STREAM, payload: { id: 2 } }),
    ];
    return waitFor(async () => {
      const { body } = await api.operator.get('/deliveries', { endpointId: endpointId!, status: 'DELIVERED' });
      const deliveries = body.items as { deliveryId: string; eventId: string }[];
      return (
        deliveries.length === 2 &&
        events.map(({ eventId }) => {
          const { deliveryId } = deliveries.find((delivery) => delivery.eventId === eventId)!;
          const sent = receiver.received.find(({ headers }) => headers['x-kernel-delivery-id'] === deliveryId)!;
          return { deliveryId, eventId, ...sent };
        })
      );
    }, 'both deliveries');
  }
  const put = (tenantId: string, action: string | undefined) =>
    api.operator.put(`/policies/${TYPE}`, { tenantId, rules: rulesWith(action) }).expect(200);
  const renderedBody = async (deliveryId: string) =>
    (await api.operator.get(`/deliveries/${deliveryId}/body`).expect(200)).body as object;

  it('sends a hash, in body and header alike and the same for a stream, and renders it again', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    await put(tenantId, 'hash');
    await put(other, 'hash');
    const [first, second] = await deliver(tenantId);
    const [foreign] = await deliver(other);
    expect(first!.body.streamKey).toMatch(HASHED);
    expect(first!.headers['x-kernel-stream-key']).toBe(first!.body.streamKey);
    expect(second!.body.streamKey).toBe(first!.body.streamKey);
    expect(foreign!.body.streamKey).not.toBe(first!.body.streamKey);
    expect(second!.headers).toMatchObject({ 'x-kernel-stream-sequence': '2', 'x-kernel-previous-sequence': '1' });
    for (const { raw, headers } of [first!, second!]) {
      expect(raw.toString() + decodeURIComponent(JSON.stringify(headers))).not.toContain('jane@doe');
    }
    expect(await renderedBody(first!.deliveryId)).toMatchObject({ matches: true, body: first!.raw.toString() });
  });

  it('sends no stream key at all if it is dropped, and the sequences still', async () => {
    const tenantId = randomUUID();
    await put(tenantId, 'drop');
    const [first, second] = await deliver(tenantId);
    for (const { body, headers } of [first!, second!]) {
      expect(body).not.toHaveProperty('streamKey');
      expect(headers).not.toHaveProperty('x-kernel-stream-key');
    }
    expect(second!.headers).toMatchObject({ 'x-kernel-stream-sequence': '2', 'x-kernel-previous-sequence': '1' });
    expect(await renderedBody(second!.deliveryId)).toMatchObject({ matches: true, body: second!.raw.toString() });
  });

  it.each([undefined, 'keep'])('sends it as it is under the rule %s', async (action) => {
    const tenantId = randomUUID();
    await put(tenantId, action);
    const [first] = await deliver(tenantId);
    expect(first!.body.streamKey).toBe(STREAM);
    expect(first!.headers['x-kernel-stream-key']).toBe(STREAM);
  });

  it('applies the rule that a type is declared with', async () => {
    const [first] = await deliver(randomUUID(), {}, declared.type);
    expect(first!.body.streamKey).toMatch(HASHED);
    expect(first!.headers['x-kernel-stream-key']).toBe(first!.body.streamKey);
  });

  it('sends an internal endpoint the stream key as it is', async () => {
    const tenantId = randomUUID();
    await put(tenantId, 'drop');
    const [first] = await deliver(tenantId, { isExternal: false });
    expect(first!.body.streamKey).toBe(STREAM);
  });

  it.each([
    ['hash', [], [{ path: '@streamKey', action: 'hash' }]],
    ['drop', ['@streamKey'], []],
    ['keep', [], []],
  ])('shows %s in both previews', async (action, removed, changed) => {
    const tenantId = randomUUID();
    await put(tenantId, action);
    await api.createEndpoint(tenantId, { url: receiver.url, isEnabled: false });
    const { eventId } = await api.publish(tenantId, { streamKey: STREAM, payload: { id: 1 } });

    const tried = { eventId, rules: rulesWith(action) };
    const ofPolicy = (await api.operator.post(`/policies/${TYPE}/preview`, tried).expect(200)).body as Redacted;
    const { items } = (await api.operator.post(`/events/${eventId}/preview`).expect(200)).body as {
      items: (Redacted & { body: string })[];
    };
    for (const preview of [ofPolicy, items[0]!]) {
      expect(preview.removed.map(({ path }) => path)).toEqual(removed);
      expect(preview.changed).toEqual(changed);
    }
    expect(items[0]!.body.includes(STREAM)).toBe(action === 'keep');
  });

  it.each([
    [{ path: '@streamKey', action: 'mask' }, 'rules.0.action', '@streamKey takes keep, hash or drop only'],
    [
      { path: '@streamKey', action: 'truncate', length: 3 },
      'rules.0.action',
      '@streamKey takes keep, hash or drop only',
    ],
    [{ path: '@traceId', action: 'drop' }, 'rules.0.path', 'use @actorId or @streamKey'],
  ])('refuses %j and says what is allowed', async (rule, path, message) => {
    const tenantId = randomUUID();
    const { body } = await api.operator.put(`/policies/${TYPE}`, { tenantId, rules: [rule] }).expect(400);
    expect(body.errors).toEqual([{ path, message: expect.stringContaining(message) as string }]);
    const { body: listed } = await api.operator.get('/policies', { tenantId }).expect(200);
    expect(listed.items).toEqual([]);
  });
});
