import { randomUUID } from 'node:crypto';
import { defineEvent } from '@kernel/eventbus';
import { z } from 'zod';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const payload = {
  invoiceId: 'i-1',
  customer: { name: 'Ada', email: 'ada@example.com', notes: {} },
  lines: [
    { description: 'Consulting', amountCents: 5 },
    { description: 'Travel', amountCents: 7 },
  ],
};
const rules = [
  { path: '$.invoiceId', action: 'keep' },
  { path: '$.customer.email', action: 'mask' },
  { path: '$.customer.name', action: 'drop' },
  { path: '$.lines[*].amountCents', action: 'keep' },
];
const tried = {
  body: '{"invoiceId":"i-1","customer":{"email":"***"},"lines":[{"amountCents":5},{"amountCents":7}]}',
  removed: [
    { path: '$.customer.name', why: 'drop' },
    { path: '$.customer.notes', why: 'no-rule' },
    { path: '$.lines[*].description', why: 'no-rule' },
  ],
  changed: [{ path: '$.customer.email', action: 'mask' }],
  kept: ['$.invoiceId', '$.lines[*].amountCents'],
};

describe('POST /policies/:eventType/preview', () => {
  const labelled = defineEvent({ type: 'labelled.v1', schema: z.object({}), privacy: { labels: ['$.care'] } });
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ events: [labelled] });
  });
  afterAll(() => api.close());

  it('[KER-6d] shows what rules would let out of a payload or an event, and stores nothing', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { eventId } = await api.publish(tenantId, { payload, actorId: randomUUID() });
    const before = await api.countRows();
    const preview = (body: object, by = client) => by.post(`/policies/${TYPE}/preview`, { rules, ...body });

    expect((await preview({ payload }).expect(200)).body).toEqual(tried);
    const ofEvent = (await preview({ eventId }, api.operator).expect(200)).body as typeof tried;
    expect(JSON.parse(ofEvent.body)).toEqual(JSON.parse(tried.body));
    expect(ofEvent.removed).toEqual(expect.arrayContaining([...tried.removed, { path: '@actorId', why: 'not-kept' }]));
    const { body: empty } = await preview({ rules: [], payload }).expect(200);
    expect(empty).toMatchObject({ body: '{}', kept: [], changed: [] });

    const hash = [{ path: '$.customer.email', action: 'hash' }];
    const bodies = await Promise.all(
      [client, api.operator].map(
        async (by) => (await preview({ rules: hash, payload }, by).expect(200)).body.body as string,
      ),
    );
    expect(bodies[0]).toContain('hmac-sha256:');
    expect(bodies[0]).not.toBe(bodies[1]);
    expect(await api.countRows()).toEqual(before);
  });

  it('[KER-6d] holds back an array where a rule has an object, and says so', async () => {
    const guarded = [
      { path: '$', action: 'keep' },
      { path: '$.customer.email', action: 'drop' },
      { path: '$.lines[*].note', action: 'mask' },
    ];
    const misshapen = { id: 1, customer: [{ email: 'ada@example.com' }], lines: { note: 'secret' } };
    const { body } = await api.operator
      .post(`/policies/${TYPE}/preview`, { rules: guarded, payload: misshapen })
      .expect(200);
    expect(body).toEqual({
      body: '{"id":1}',
      removed: ['$.customer[*].email', '$.lines.note'].map((path) => ({ path, why: 'wrong-shape' })),
      changed: [],
      kept: ['$.id'],
    });
  });

  it('refuses what it cannot try, and what is not the tenant’s', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { eventId } = await api.publish(randomUUID());
    const deep = JSON.parse('{"a":'.repeat(200) + '1' + '}'.repeat(200)) as object;
    for (const body of [
      { rules },
      { rules, payload, eventId },
      { rules: [{ path: '$..x', action: 'keep' }], payload },
      { rules, payload: [1] },
      { rules, payload: deep },
    ]) {
      await api.operator.post(`/policies/${TYPE}/preview`, body).expect(400);
    }
    const labels = { rules: [{ path: '$.care', action: 'drop' }], payload: {} };
    const { body } = await api.operator.post('/policies/labelled.v1/preview', labels).expect(400);
    expect(body.errors).toMatchObject([{ path: 'rules.0.action' }]);
    await client.post(`/policies/${TYPE}/preview`, { rules, eventId }).expect(404);
    await client.post(`/policies/${TYPE}/preview`, { rules, payload, tenantId: randomUUID() }).expect(403);
    await client.post(`/policies/${TYPE}/preview`, { rules, payload, tenantId }).expect(200);
    await api.operator.post('/policies/another.v1/preview', { rules, eventId }).expect(404);
  });
});
