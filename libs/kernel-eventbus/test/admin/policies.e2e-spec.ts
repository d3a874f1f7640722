import { randomUUID } from 'node:crypto';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from './admin-api.js';

describe('policies', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all' });
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
