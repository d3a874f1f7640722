import { randomUUID } from 'node:crypto';
import { defineEvent } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const Labelled = defineEvent({
  type: 'well.surveyed.v1',
  privacy: { labels: ['$.careLabel'], rules: [{ path: '$.site', action: 'coarsen', decimals: 1 }] },
});

describe('policies', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', events: [Labelled] });
  });
  afterAll(() => api.close());

  const keepTotal = [{ path: '$.total', action: 'keep' }];

  it('are put as new versions; without a tenant an operator puts the default of the type', async () => {
    const type = `default-${randomUUID()}.v1`;
    const { body } = await api.operator.put(`/policies/${type}`, { rules: keepTotal }).expect(200);
    expect(body).toEqual({
      policyId: expect.any(String),
      tenantId: null,
      eventType: type,
      version: 1,
      rules: keepTotal,
      createdAt: expect.stringMatching(/Z$/),
    });
    const { body: second } = await api.operator.put(`/policies/${type}`, { rules: [] }).expect(200);
    expect(second).toMatchObject({ version: 2, rules: [] });
    const { body: list } = await api.operator.get('/policies').expect(200);
    expect((list.items as { eventType: string }[]).filter(({ eventType }) => eventType === type)).toEqual([second]);
    expect((await api.ledger('policy-put')).at(-1)).toMatchObject({
      tenant_id: null,
      event_type: type,
      policy_id: second.policyId,
      policy_version: 2,
      actor: 'admin-token',
      detail: { before: { version: 1, rules: keepTotal }, after: { version: 2, rules: [] } },
    });
  });

  it("[KER-T] of a tenant admin are his tenant's own, and he sees the defaults but no other tenant's", async () => {
    const type = `own-${randomUUID()}.v1`;
    const { client, tenantId } = await api.tenantAdmin();
    const stranger = await api.tenantAdmin();
    await api.operator.put(`/policies/${type}`, { rules: [] }).expect(200);
    await stranger.client.put(`/policies/${type}`, { rules: [] }).expect(200);
    const { body } = await client.put(`/policies/${type}`, { rules: keepTotal }).expect(200);
    expect(body).toMatchObject({ tenantId, version: 1 });

    const { body: list } = await client.get('/policies').expect(200);
    const tenants = (list.items as { eventType: string; tenantId: string | null }[])
      .filter(({ eventType }) => eventType === type)
      .map((policy) => policy.tenantId);
    expect(tenants).toEqual([tenantId, null]);
    const { body: own } = await client.get('/policies', { tenantId }).expect(200);
    expect(own.items).toEqual([body]);
  });

  it.each([
    [{ action: 'coarsen' }, 'decimals', 'coarsen needs decimals'],
    [{ action: 'coarsen', decimals: 1, length: 2 }, 'length', 'length belongs to truncate'],
    [{ action: 'coarsen', decimals: -1 }, 'decimals', 'from 0 to 6'],
    [{ action: 'truncate', length: 0 }, 'length', 'from 1 to 10000'],
    [{ action: 'hash', key: 'x' }, 'key', 'unknown field'],
  ])('with the rule %o are refused, and nothing is written', async (rule, field, problem) => {
    const before = await api.countRows();
    const rules = [{ path: '$.site', ...rule }];
    const { body } = await api.operator.put(`/policies/${TYPE}`, { rules }).expect(400);
    expect(body.errors).toEqual([{ path: `rules.0.${field}`, message: expect.stringContaining(problem) }]);
    expect(await api.countRows()).toEqual(before);
  });

  it('[KFM-7] cannot hold back what the type declares as a label', async () => {
    const before = await api.countRows();
    const rules = [
      { path: '$.site', action: 'keep' },
      ...['$.careLabel', '$.careLabel.by'].map((path) => ({ path, action: 'drop' })),
    ];
    const { body } = await api.operator.put(`/policies/${Labelled.type}`, { rules }).expect(400);
    expect(body.errors).toEqual([
      { path: 'rules.1.action', message: expect.stringContaining('$.careLabel is a label of well.surveyed.v1') },
      { path: 'rules.2.action', message: expect.stringContaining('keep it, or leave the rule out') },
    ]);
    expect(await api.countRows()).toEqual(before);
  });

  it("[KFM-7] that are not there are made up for by the type's own, labels included, as version 0", async () => {
    const receiver = await WebhookReceiver.start();
    const tenantId = randomUUID();
    await api.createEndpoint(tenantId, { url: receiver.url, subscribedTypes: [Labelled.type] });
    const payload = { careLabel: 'restricted', site: [-96.5678, 39.1234], owner: 'Ada' };
    const { eventId } = await api.publish(tenantId, { type: Labelled.type, payload });
    const [webhook] = await receiver.receives(1);
    expect(webhook!.body.payload).toEqual({ careLabel: 'restricted', site: [-96.6, 39.1] });
    const attempt = await waitFor(
      async () => (await api.ledger('attempt')).find(({ event_id }) => event_id === eventId),
      'the attempt to be in the ledger',
    );
    expect(attempt).toMatchObject({ policy_id: null, policy_version: 0, removed_paths: 1 });
    await receiver.stop();
  });

  it('[KER-6d] decide what an external endpoint gets, from the next delivery on', async () => {
    const receiver = await WebhookReceiver.start();
    const { client, tenantId } = await api.tenantAdmin();
    await api.createEndpoint(tenantId, { url: receiver.url });
    const payload = { total: 5, email: 'ada@example.com' };
    await api.publish(tenantId, { payload });
    await receiver.receives(1);
    await client.put(`/policies/${TYPE}`, { rules: keepTotal }).expect(200);
    await api.publish(tenantId, { payload });

    const received = await receiver.receives(2);
    expect(received.map(({ body }) => body.payload)).toEqual([{}, { total: 5 }]);
    await receiver.stop();
  });
});
