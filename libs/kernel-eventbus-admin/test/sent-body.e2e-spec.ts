import { createHash, randomUUID } from 'node:crypto';
import { defineEvent } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { z } from 'zod';
import { AdminApi, TYPE, type AdminClient } from '@kernel/test-support/admin-api';

const payload = { id: 5, customer: { email: 'ada@example.com', name: 'Ada' } };

describe('GET /deliveries/:id/body', () => {
  const declared = defineEvent({
    type: 'declared.v1',
    schema: z.object({ id: z.number(), customer: z.any() }),
    privacy: { rules: [{ path: '$.id', action: 'keep' }] },
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

  const putRules = (tenantId: string, rules: object[]) =>
    api.operator.put(`/policies/${TYPE}`, { tenantId, rules }).expect(200);
  const bodyOf = async (deliveryId: string, query = {}, client: AdminClient = api.operator) =>
    (await client.get(`/deliveries/${deliveryId}/body`, query).expect(200)).body as Record<string, unknown>;
  const deliver = async (tenantId: string, endpointId: string, type = TYPE) => {
    const { eventId } = await api.publish(tenantId, { type, payload, actorId: randomUUID() });
    const delivery = await waitFor(async () => {
      const { body } = await api.operator.get('/deliveries', { eventId, endpointId, status: 'DELIVERED' });
      return (body.items as Record<string, string>[])[0];
    }, 'the delivery');
    const sent = receiver.received.find(({ headers }) => headers['x-kernel-delivery-id'] === delivery.deliveryId)!;
    return { deliveryId: delivery.deliveryId!, eventId, sent: sent.raw.toString() };
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('[KER-1] [KER-5a] is what was sent, byte for byte, under the policy of then', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const hashing = [
      { path: '$.customer.email', action: 'hash' },
      { path: '@actorId', action: 'keep' },
    ];
    const unruled = await deliver(tenantId, endpointId!);
    await putRules(tenantId, hashing);
    const first = await deliver(tenantId, endpointId!);
    await putRules(tenantId, [{ path: '$', action: 'keep' }]);
    const second = await deliver(tenantId, endpointId!);
    for (const [{ deliveryId, sent }, policyVersion] of [
      [unruled, null],
      [first, 1],
      [second, 2],
    ] as const) {
      const bodySha256 = sha256(sent);
      expect(await bodyOf(deliveryId)).toEqual({
        ...{
          attempt: 1,
          policyVersion,
          bodySha256,
          renderedSha256: bodySha256,
          matches: true,
          body: sent,
          reason: null,
        },
      });
    }

    await api.operator.post(`/deliveries/${first.deliveryId}/replay`, { reason: 'see the other policy' }).expect(202);
    const replayed = await waitFor(async () => {
      const body = await bodyOf(first.deliveryId);
      return body.policyVersion === 2 && body;
    }, 'the replayed attempt');
    expect(replayed).toMatchObject({ attempt: 1, matches: true, body: expect.stringContaining('Ada') });
    const before = { attempt: 1, bodySha256: sha256(first.sent) };
    expect(await bodyOf(first.deliveryId, before)).toMatchObject({ policyVersion: 1, matches: true, body: first.sent });
  });

  it.each([
    ['an internal endpoint', { isExternal: false }, TYPE, null],
    ['a declared policy', { subscribedTypes: ['declared.v1'] }, 'declared.v1', 0],
  ])('is made again for %s too', async (_, settings, type, policyVersion) => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url, ...settings });
    const { deliveryId, sent } = await deliver(tenantId, endpointId!, type);
    expect(await bodyOf(deliveryId)).toMatchObject({ policyVersion, matches: true, body: sent });
  });

  it('says so where it does not match, and why there is none', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const { database } = api.kernel;
    await putRules(tenantId, [{ path: '$.id', action: 'keep' }]);
    const { deliveryId, eventId } = await deliver(tenantId, endpointId!);

    await database.query(`update kernel_privacy_policy set rules = '[]' where tenant_id = $1`, [tenantId]);
    const changed = await bodyOf(deliveryId);
    expect(changed).toMatchObject({ matches: false, reason: expect.stringContaining('not what was sent') });
    expect(changed.renderedSha256).not.toBe(changed.bodySha256);

    await database.query('delete from kernel_privacy_policy where tenant_id = $1', [tenantId]);
    expect(await bodyOf(deliveryId)).toMatchObject({
      body: null,
      matches: false,
      reason: expect.stringContaining('version 1'),
    });

    await database.query(
      `begin; set local session_replication_role = replica; delete from kernel_outbox_event where event_id = '${eventId}'; commit`,
    );
    expect(await bodyOf(deliveryId)).toMatchObject({ body: null, reason: expect.stringContaining('retention') });
  });

  it('[KER-T] is known for attempts there were, and to those who may see the delivery', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
    const { deliveryId } = await deliver(tenantId, endpointId!);
    expect(await bodyOf(deliveryId, { attempt: 1 }, client)).toMatchObject({ attempt: 1, matches: true });
    await client.get(`/deliveries/${deliveryId}/body`, { attempt: 2 }).expect(404);
    await client.get(`/deliveries/${deliveryId}/body`, { attempt: 'x' }).expect(400);
    await client.get(`/deliveries/${deliveryId}/body`, { bodySha256: sha256('other') }).expect(404);
    await client.get(`/deliveries/${deliveryId}/body`, { bodySha256: 'x' }).expect(400);
    const stranger = (await api.tenantAdmin()).client;
    await stranger.get(`/deliveries/${deliveryId}/body`).expect(404);
    await api.operator.get(`/deliveries/${randomUUID()}/body`).expect(404);
  });
});
