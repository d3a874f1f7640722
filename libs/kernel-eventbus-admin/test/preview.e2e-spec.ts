import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { PREVIEW_BYTES } from '../src/events/preview.dto.js';
import { WebhookBody } from '@kernel/eventbus/engine';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const wantsRegion = (value: string) => [
  { type: TYPE, match: 'all', predicates: [{ path: '$.region', operator: 'equals', value }] },
];

describe('POST /events/:id/preview', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let worker: AdminApi | undefined;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await receiver.stop();
  });
  afterAll(() => api.close());

  it('[FR-005] says of every endpoint of the tenant whether it would get the event and why, and sends nothing', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const add = (name: string | undefined, settings: object) =>
      api.createEndpoint(tenantId, { name, url: receiver.url, ...settings });
    const eu = await add('eu', { subscriptions: wantsRegion('EU') });
    const us = await add('us', { subscriptions: wantsRegion('US') });
    const otherType = await add(undefined, { subscribedTypes: ['other.v1'] });
    const disabled = await add('disabled', { isEnabled: false });
    const deleted = await add('deleted', {});
    await api.operator.delete(`/endpoints/${deleted.endpointId}`).expect(204);
    await api.createEndpoint(randomUUID());
    const { eventId } = await api.publish(tenantId, { payload: { region: 'EU' } });
    const before = await api.countRows();

    const { body } = await client.post(`/events/${eventId}/preview`).expect(200);
    const removed = [{ path: '$.region', reason: 'no-rule' }];
    const rest = { body: expect.any(String), policy: null, removed, changed: [] };
    expect(body).toEqual({
      endpoints: 4,
      items: [
        { endpointId: disabled.endpointId, name: 'disabled', matches: false, reason: 'endpoint disabled', ...rest },
        {
          endpointId: us.endpointId,
          name: 'us',
          matches: false,
          reason: 'predicate `$.region equals "US"` did not match',
          ...rest,
        },
        { endpointId: eu.endpointId, name: 'eu', matches: true, reason: 'matches', ...rest },
        { endpointId: otherType.endpointId, name: null, matches: false, reason: 'type not subscribed', ...rest },
      ],
    });
    expect(await api.countRows()).toEqual(before);
    expect(receiver.received).toEqual([]);
  });

  it('[FR-005] shows the body that each would get and says of each path that is not in it why', async () => {
    const tenantId = randomUUID();
    const type = `preview-${tenantId}.v1`;
    const { body: policy } = await api.operator
      .put(`/policies/${type}`, {
        rules: [
          { path: '$.total', action: 'keep' },
          { path: '$.customer', action: 'drop' },
          { path: '$.email', action: 'hash' },
          { path: '$.title', action: 'truncate', length: 3 },
          { path: '$.site', action: 'coarsen', decimals: 1 },
        ],
      })
      .expect(200);
    const external = await api.createEndpoint(tenantId, { subscribedTypes: [type] });
    const internal = await api.createEndpoint(tenantId, { subscribedTypes: [type], isExternal: false });
    const customer = { name: 'Ada' };
    const payload = {
      total: 5,
      email: 'ada@example.com',
      customer,
      note: 'x',
      title: 'Countess',
      site: [1.26, 'here'],
    };
    const { eventId } = await api.publish(tenantId, { type, payload, actorId: randomUUID() });

    const { body } = await api.operator.post(`/events/${eventId}/preview`).expect(200);
    const [whole, redacted] = body.items as { endpointId: string; body: string; removed: unknown[] }[];
    expect(whole).toMatchObject({ endpointId: internal.endpointId, policy: null, removed: [], changed: [] });
    expect(JSON.parse(whole!.body)).toMatchObject({ eventId, payload, actorId: expect.any(String) });
    expect(redacted).toMatchObject({
      endpointId: external.endpointId,
      policy: { policyId: policy.policyId, version: 1 },
      changed: expect.arrayContaining([
        { path: '$.email', action: 'hash' },
        { path: '$.title', action: 'truncate' },
        { path: '$.site', action: 'coarsen' },
      ]),
    });
    expect(redacted!.removed).toEqual(
      expect.arrayContaining([
        { path: '$.customer.name', reason: 'drop' },
        { path: '$.note', reason: 'no-rule' },
        { path: '$.site[*]', reason: 'not-number' },
        { path: '@actorId', reason: 'not-kept' },
      ]),
    );
    expect(redacted!.removed).toHaveLength(4);
    const sent = JSON.parse(redacted!.body) as Record<string, unknown>;
    expect(sent.payload).toEqual({
      total: 5,
      email: expect.stringMatching(/^hmac-sha256:/),
      title: 'Cou',
      site: [1.3],
    });
    expect(sent).not.toHaveProperty('actorId');
    expect(redacted!.body).not.toContain('Ada');
  });

  it('[KER-6d] holds back an array where a rule has an object, and says so', async () => {
    const tenantId = randomUUID();
    const type = `misshapen-${tenantId}.v1`;
    const rules = [
      { path: '$', action: 'keep' },
      { path: '$.customer.email', action: 'drop' },
    ];
    await api.operator.put(`/policies/${type}`, { rules }).expect(200);
    await api.createEndpoint(tenantId, { subscribedTypes: [type] });
    const { eventId } = await api.publish(tenantId, { type, payload: { id: 1, customer: [{ email: 'x' }] } });

    const { body } = await api.operator.post(`/events/${eventId}/preview`).expect(200);
    const [item] = body.items as { body: string }[];
    expect(item).toMatchObject({ removed: [{ path: '$.customer[*].email', reason: 'wrong-shape' }], changed: [] });
    expect(JSON.parse(item!.body)).toMatchObject({ payload: { id: 1 } });
    expect(item!.body).not.toContain('customer');
  });

  it('shows of an event that was sent the very bytes that were', async () => {
    worker = await AdminApi.start({ role: 'all' });
    const tenantId = randomUUID();
    await worker.operator.put(`/policies/${TYPE}`, { rules: [{ path: '$.total', action: 'keep' }] }).expect(200);
    await worker.createEndpoint(tenantId, { url: receiver.url });
    const { eventId } = await worker.publish(tenantId, { payload: { total: 5, note: 'x' } });
    const [webhook] = await receiver.receives(1);
    // The webhook may arrive before its delivery is written, which has the time of dispatch.
    const { database } = worker.kernel;
    await waitFor(
      async () =>
        (await database.query('select from kernel_webhook_delivery where event_id = $1', [eventId])).length > 0,
      'the delivery to be written',
    );

    const { body } = await worker.operator.post(`/events/${eventId}/preview`).expect(200);
    expect(body.items).toMatchObject([{ matches: true, body: webhook!.raw.toString() }]);
  });

  it('[KER-6d] shows nothing while policies cannot be read', async () => {
    const tenantId = randomUUID();
    await api.createEndpoint(tenantId);
    const { eventId } = await api.publish(tenantId, { payload: { email: 'ada@example.com' } });
    const { database } = api.kernel;
    await database.query('alter table kernel_privacy_policy rename to kernel_privacy_policy_away');
    const { body } = await api.operator.post(`/events/${eventId}/preview`).expect(503);
    await database.query('alter table kernel_privacy_policy_away rename to kernel_privacy_policy');
    expect(body).toMatchObject({ type: expect.stringContaining('policy-unavailable') });
    expect(JSON.stringify(body)).not.toContain('ada@');
    await api.operator.post(`/events/${eventId}/preview`).expect(200);
  });

  it('shows a hundred endpoints at most, those that subscribe to the type first, and says how many there are', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId);
    await api.kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
       select gen_random_uuid(), $1, 'http://127.0.0.1:9/hook', '{other.v1}', 'alias' from generate_series(1, 120)`,
      [tenantId],
    );
    const { eventId } = await api.publish(tenantId);
    const { body } = await api.operator.post(`/events/${eventId}/preview`).expect(200);
    expect(body).toMatchObject({ endpoints: 121, items: expect.any(Array) });
    const reasons = (body.items as { endpointId: string; reason: string }[]).map(({ reason }) => reason);
    expect(reasons).toEqual(['matches', ...Array<string>(99).fill('type not subscribed')]);
    expect(body.items[0]).toMatchObject({ endpointId });
  });

  describe('of an event whose bodies are many times its payload', () => {
    const tenantId = randomUUID();
    const type = `hashed-${tenantId}.v1`;
    const ENDPOINTS = 20;
    beforeAll(async () => {
      await api.operator.put(`/policies/${type}`, { rules: [{ path: '$.m[*]', action: 'hash' }] }).expect(200);
      await api.kernel.database.query(
        `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
         select gen_random_uuid(), $1, 'http://127.0.0.1:9/hook', array[$2], 'alias' from generate_series(1, $3)`,
        [tenantId, type, ENDPOINTS],
      );
    });

    const preview = async (elements: number) => {
      const { eventId } = await api.publish(tenantId, { type, payload: { m: Array(elements).fill(1) } });
      const bodies = countBodies(api.kernel.app.get(WebhookBody, { strict: false }));
      const { text } = await api.operator.post(`/events/${eventId}/preview`).expect(200);
      bodies.stop();
      const answer = JSON.parse(text) as { items: { body: string }[] };
      return { answer, bytes: Buffer.byteLength(text), made: bodies.count };
    };

    it('shows as many endpoints as an answer has room for, says so, and makes no body for the others', async () => {
      const { answer, bytes, made } = await preview(26_000);
      expect(answer).toMatchObject({ endpoints: ENDPOINTS, isCut: true });
      expect(answer.items.length).toBeGreaterThan(2);
      expect(answer.items.map(({ body }) => JSON.parse(body))).toEqual(
        answer.items.map(() => expect.objectContaining({ type })),
      );
      expect(bytes).toBeLessThan(PREVIEW_BYTES + 100);
      expect(made).toBe(answer.items.length + 1);
    });

    it('shows one endpoint, however large its body is', async () => {
      const { answer, bytes, made } = await preview(130_000);
      expect(answer).toMatchObject({ endpoints: ENDPOINTS, isCut: true, items: [{ matches: true }] });
      expect(bytes).toBeGreaterThan(PREVIEW_BYTES);
      expect([answer.items.length, made]).toEqual([1, 2]);
    });

    it('shows all of them where they have room', async () => {
      const { answer, made } = await preview(1_000);
      expect(answer).toEqual({ endpoints: ENDPOINTS, items: expect.any(Array) });
      expect([answer.items.length, made]).toEqual([ENDPOINTS, ENDPOINTS]);
    });
  });

  it('of an unknown event is 404', async () => {
    await api.operator.post(`/events/${randomUUID()}/preview`).expect(404);
  });
});

/** Counts the rendered bodies until it is stopped. */
function countBodies(maker: WebhookBody) {
  const prepare = maker.prepare.bind(maker);
  const bodies = { count: 0, stop: () => void (maker.prepare = prepare) };
  maker.prepare = async (parts) => {
    const make = await prepare(parts);
    return (dispatchedAt) => {
      bodies.count++;
      return make(dispatchedAt);
    };
  };
  return bodies;
}
