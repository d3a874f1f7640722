import { randomUUID } from 'node:crypto';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

describe('the ledger', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it('[KER-1] has every change with who made it and under which trace, and never a secret', async () => {
    const { client, tenantId, token } = await api.tenantAdmin();
    const traceId = `trace-${randomUUID()}`;
    const made = await client
      .post('/endpoints', { tenantId, url: 'https://receiver.invalid/hook', subscribedTypes: [TYPE] })
      .set('x-trace-id', traceId)
      .expect(201)
      .expect('x-trace-id', traceId);
    const path = `/endpoints/${made.body.endpointId as string}`;
    const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const generated = await client.post('/secrets', { tenantId, alias: 'made' }).set('x-trace-id', traceId).expect(201);
    const put = { tenantId, alias: 'made', value: given };
    const stored = await client.post('/secrets', put).set('x-trace-id', traceId).expect(201);
    await client.patch(path, { signingSecretAlias: 'made' }).set('x-trace-id', traceId).expect(200);
    await client.put(`/policies/${TYPE}`, { rules: [] }).set('x-trace-id', traceId).expect(200);
    await client.post(`${path}/test`).set('x-trace-id', traceId).expect(200);
    await client.delete(path).set('x-trace-id', traceId).expect(204);

    expect(generated.body).toEqual({ tenantId, alias: 'made', version: 1, value: expect.stringMatching(/^whsec_/) });
    expect(stored.body).toEqual({ tenantId, alias: 'made', version: 2 });

    const { body } = await client.get('/audit', { traceId }).expect(200);
    const entries = body.items as { kind: string; actor: string; tenantId: string; detail: unknown }[];
    expect(entries.map(({ kind }) => kind)).toEqual([
      'endpoint-deleted',
      'endpoint-tested',
      'policy-put',
      'endpoint-updated',
      'secret-put',
      'secret-put',
      'endpoint-created',
      'secret-put',
    ]);
    const [tokenRow] = (await api.operator.get('/tokens', { limit: 1 })).body.items as { tokenId: string }[];
    for (const entry of entries) {
      expect(entry).toMatchObject({ actor: `tenant admin (${tokenRow!.tokenId})`, tenantId, traceId });
    }
    expect(entries.filter(({ kind }) => kind === 'secret-put').map(({ detail }) => detail)).toEqual([
      { alias: 'made', version: 2 },
      { alias: 'made', version: 1 },
      { alias: `endpoint-${made.body.endpointId as string}`, version: 1 },
    ]);
    const everything = JSON.stringify(await api.kernel.database.query('select to_jsonb(l) from kernel_ledger_entry l'));
    for (const secret of [made.body.secret, generated.body.value, given, token] as string[]) {
      expect(everything).not.toContain(secret);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  it('is filtered by event, delivery, endpoint, kind and time', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId);
    const deliveryId = await api.addDelivery(tenantId, endpointId!, 'DLQ');
    await api.operator.post(`/deliveries/${deliveryId}/replay`, { reason: 'filter me' }).expect(202);
    const { body: delivery } = await api.operator.get(`/deliveries/${deliveryId}`).expect(200);
    const found = async (query: Record<string, string>) => {
      const { body } = await api.operator.get('/audit', { tenantId, ...query }).expect(200);
      return (body.items as { kind: string }[]).map(({ kind }) => kind);
    };

    expect(await found({})).toEqual(['replayed', 'endpoint-created', 'secret-put']);
    expect(await found({ eventId: delivery.eventId as string })).toEqual(['replayed']);
    expect(await found({ deliveryId })).toEqual(['replayed']);
    expect(await found({ endpointId: endpointId! })).toEqual(['replayed', 'endpoint-created']);
    expect(await found({ kind: 'secret-put' })).toEqual(['secret-put']);
    expect(await found({ since: '2020-01-01T00:00:00Z' })).toHaveLength(3);
    expect(await found({ since: '9999-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ until: '9999-12-31T00:00:00Z' })).toHaveLength(3);
    expect(await found({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    const { body } = await api.operator.get('/audit', { tenantId }).expect(200);
    const { recordedAt } = (body.items as { recordedAt: string }[])[0]!;
    const inAMoment = new Date(Date.parse(recordedAt) + 1).toISOString();
    expect(await found({ until: inAMoment })).toHaveLength(3);
  });

  it('rolls back together with the change it belongs to', async () => {
    const tenantId = randomUUID();
    await api.kernel.database.query(
      `create function refuse_ledger() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    await api.kernel.database.query(
      `create trigger refuse before insert on kernel_ledger_entry for each row execute function refuse_ledger()`,
    );
    const before = await api.countRows();
    const body = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] };
    await api.operator.post('/endpoints', body).expect(500);
    await api.operator.post('/secrets', { tenantId, alias: 'abc' }).expect(500);
    await api.operator.post('/tokens', { name: 'x', role: 'operator' }).expect(500);
    await api.operator.put(`/policies/${TYPE}`, { rules: [] }).expect(500);
    expect(await api.countRows()).toEqual(before);
    await api.kernel.database.query('drop function refuse_ledger cascade');
  });
});
