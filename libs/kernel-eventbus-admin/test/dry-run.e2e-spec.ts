import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const eu = {
  type: TYPE,
  match: 'all',
  predicates: [{ path: '$.region', operator: 'equals', value: 'EU' }],
};

describe('POST /endpoints/:id/dry-run', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it("[FR-005] tries the subscriptions on the tenant's recent events, newest first, and writes nothing", async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const stranger = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId, { subscriptions: [eu], isEnabled: false });
    const matching = await api.publish(tenantId, { payload: { region: 'EU' } });
    const other = await api.publish(tenantId, { payload: { region: 'US', secret: 'sentinel' } });
    const foreignType = await api.publish(tenantId, { type: 'other.v1', payload: { region: 'EU' } });
    await api.publish(stranger.tenantId, { payload: { region: 'EU' } });
    const before = await api.countRows();

    const { body } = await client.post(`/endpoints/${endpointId}/dry-run`).expect(200);
    expect(body).toEqual({
      checked: 3,
      matched: 1,
      items: [
        { ...shown(foreignType), type: 'other.v1', matches: false, reason: 'type not subscribed' },
        { ...shown(other), matches: false, reason: 'predicate `$.region equals "EU"` did not match' },
        { ...shown(matching), matches: true, reason: 'matches' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('sentinel');
    expect(await api.countRows()).toEqual(before);
  });

  it('looks no further back than since, and at 200 events at most', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId);
    const insert = (count: number, at: string) =>
      api.kernel.database.query(
        `insert into kernel_outbox_event
           (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, created_at)
         select gen_random_uuid(), $1, 's', $2, now(), 'trace-0001', '{}', 'x', $3 from generate_series(1, $4)`,
        [tenantId, TYPE, at, count],
      );
    await insert(1, '2020-01-01T00:00:00Z');
    await insert(2, '2021-01-01T00:00:00Z');
    const run = async (body?: object) =>
      (await client.post(`/endpoints/${endpointId}/dry-run`, body).expect(200)).body as { checked: number };

    expect(await run({})).toMatchObject({ checked: 3, matched: 3 });
    expect(await run({ since: '2021-01-01T00:00:00Z' })).toMatchObject({ checked: 2, matched: 2 });
    expect(await run({ since: '2022-01-01T00:00:00Z' })).toEqual({ checked: 0, matched: 0, items: [] });
    await insert(200, '2022-01-01T00:00:00Z');
    expect(await run()).toMatchObject({ checked: 200, matched: 200 });
  });
});

describe('POST /endpoints/dry-run', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it('[FR-005] tries subscriptions that nobody has saved, and saves nothing', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const matching = await api.publish(tenantId, { payload: { region: 'EU' } });
    const other = await api.publish(tenantId, { payload: { region: 'US' } });
    const before = await api.countRows();
    const draft = { tenantId, subscribedTypes: [TYPE], subscriptions: [eu] };

    const { body } = await client.post('/endpoints/dry-run', draft).expect(200);
    expect(body).toEqual({
      checked: 2,
      matched: 1,
      items: [
        { ...shown(other), matches: false, reason: 'predicate `$.region equals "EU"` did not match' },
        { ...shown(matching), matches: true, reason: 'matches' },
      ],
    });
    expect(await api.countRows()).toEqual(before);
  });

  it.each([
    [
      'a path that nothing reads',
      { subscriptions: [{ ...eu, predicates: [{ ...eu.predicates[0], path: 'region' }] }] },
    ],
    ['a type that is not subscribed', { subscriptions: [{ ...eu, type: 'other.v1' }] }],
    ['no type', { subscribedTypes: [] }],
    ['an unknown field', { url: 'https://example.com' }],
  ])('refuses %s', async (_, changes) => {
    const { tenantId, client } = await api.tenantAdmin();
    const { body } = await client
      .post('/endpoints/dry-run', { tenantId, subscribedTypes: [TYPE], ...changes })
      .expect(400);
    expect(body.errors).toHaveLength(1);
  });

  it("[KER-T] refuses another tenant's events", async () => {
    const { client } = await api.tenantAdmin();
    const { tenantId } = await api.tenantAdmin();
    await client.post('/endpoints/dry-run', { tenantId, subscribedTypes: [TYPE] }).expect(403);
  });
});

function shown({ eventId }: { eventId: string }) {
  return { eventId, type: TYPE, createdAt: expect.stringMatching(/^\d{4}-.*Z$/) };
}
