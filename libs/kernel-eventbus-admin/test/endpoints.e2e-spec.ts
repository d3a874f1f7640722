import { randomUUID } from 'node:crypto';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { PostgresSecretVault } from '@kernel/secrets';
import { Webhook } from 'standardwebhooks';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

describe('endpoints', () => {
  let api: AdminApi;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  beforeEach(() => {
    tenantId = randomUUID();
  });
  afterAll(() => api.close());

  const settings = () => ({ tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] });

  it('[FR-009b] takes a way to be reached and retries of its own, and refuses a dispatcher that is not there', async () => {
    const own = { dispatcher: 'http', retry: { maxAttempts: 2, initialDelayMs: 100 }, timeoutMs: 500 };
    const { body } = await api.operator.post('/endpoints', { ...settings(), ...own }).expect(201);
    expect(body).toMatchObject(own);
    const changed = await api.operator.patch(`/endpoints/${String(body.endpointId)}`, { retry: null, timeoutMs: 900 });
    expect(changed.body).toMatchObject({ dispatcher: 'http', retry: null, timeoutMs: 900 });

    const refused = await api.operator.post('/endpoints', { ...settings(), dispatcher: 'pigeon' }).expect(400);
    expect(refused.body.errors).toEqual([
      { path: 'dispatcher', message: "there is no dispatcher 'pigeon': use one of 'http'" },
    ]);
    await api.operator.post('/endpoints', { ...settings(), retry: { maxAttempts: 0 } }).expect(400);
    await api.operator.post('/endpoints', { ...settings(), retry: { attempts: 3 } }).expect(400);
  });

  it('[KER-3.2] [KER-6c] [FR-001] creates one with a secret of its own that is shown once', async () => {
    const { body } = await api.operator.post('/endpoints', { ...settings(), name: 'billing' }).expect(201);

    expect(body).toEqual({
      ...settings(),
      urlSetByOperator: true,
      endpointId: expect.any(String),
      dispatcher: null,
      headers: {},
      signature: 'v1',
      retry: null,
      timeoutMs: null,
      name: 'billing',
      signingSecretAlias: `endpoint-${body.endpointId}`,
      isEnabled: true,
      isExternal: true,
      ordering: 'none',
      onDeadLetter: 'block',
      maxInFlight: null,
      subscriptions: [],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      secret: expect.stringMatching(/^whsec_/),
      signingSecretVersion: 1,
    });
    const { secret, signingSecretVersion: _version, ...rest } = body;
    const shown = { ...rest, circuit: { state: 'closed', until: null } };
    expect((await api.operator.get(`/endpoints/${body.endpointId}`).expect(200)).body).toEqual(shown);
    expect((await api.operator.get('/endpoints', { tenantId }).expect(200)).body).toEqual({
      items: [shown],
      nextCursor: null,
    });
    const everything = await api.kernel.database.query(
      `select to_jsonb(e)::text as row from kernel_webhook_endpoint e
       union all select to_jsonb(l)::text from kernel_ledger_entry l`,
    );
    expect(JSON.stringify(everything)).not.toContain(secret);
  });

  it('takes a secret that exists by its alias', async () => {
    await api.operator.post('/secrets', { tenantId, alias: 'billing.hook' }).expect(201);
    const { body } = await api.operator
      .post('/endpoints', { ...settings(), signingSecretAlias: 'billing.hook', isEnabled: false, isExternal: false })
      .expect(201);
    expect(body).toMatchObject({ signingSecretAlias: 'billing.hook', isEnabled: false, isExternal: false });
    expect(body).not.toHaveProperty('secret');
  });

  it("refuses another tenant's alias", async () => {
    await api.operator.post('/secrets', { tenantId: randomUUID(), alias: 'theirs' }).expect(201);
    const { body } = await api.operator.post('/endpoints', { ...settings(), signingSecretAlias: 'theirs' }).expect(400);
    expect(body.errors).toEqual([{ path: 'signingSecretAlias', message: expect.any(String) }]);
  });

  it('accepts any UUID text, in either case, and answers in lower case', async () => {
    const odd = '00000000-0000-0000-0000-00000000ABCD';
    const { body } = await api.operator.post('/endpoints', { ...settings(), tenantId: odd }).expect(201);
    expect(body.tenantId).toBe(odd.toLowerCase());
    const { body: list } = await api.operator.get('/endpoints', { tenantId: odd }).expect(200);
    expect(list.items).toHaveLength(1);
  });

  it('accepts a host that does not resolve yet', async () => {
    await api.operator.post('/endpoints', { ...settings(), url: 'https://not-yet.invalid/hook' }).expect(201);
  });

  it('changes what is given, keeps the rest and says in the ledger what was before', async () => {
    const { endpointId, updatedAt } = await api.createEndpoint(tenantId, { name: 'old' });
    const { body } = await api.operator
      .patch(`/endpoints/${endpointId}`, { name: null, subscribedTypes: ['a.v1', 'b.v1'] })
      .expect(200);

    expect(body).toMatchObject({ name: null, subscribedTypes: ['a.v1', 'b.v1'], url: settings().url, isEnabled: true });
    expect(body.updatedAt > updatedAt!).toBe(true);
    const entry = (await api.ledger('endpoint-updated')).at(-1)!;
    expect(entry).toMatchObject({
      endpoint_id: endpointId,
      tenant_id: tenantId,
      actor: 'admin-token',
      detail: {
        before: { name: 'old', subscribedTypes: [TYPE] },
        after: { name: null, subscribedTypes: ['a.v1', 'b.v1'] },
      },
    });
  });

  it('writes nothing when a change changes nothing', async () => {
    const { endpointId } = await api.createEndpoint(tenantId);
    const before = await api.countRows();
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
    expect(await api.countRows()).toEqual(before);
  });

  it('deletes one: it is unknown from then on, in every route', async () => {
    const { endpointId } = await api.createEndpoint(tenantId);
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);

    await api.operator.get(`/endpoints/${endpointId}`).expect(404);
    await api.operator.patch(`/endpoints/${endpointId}`, { name: 'x' }).expect(404);
    await api.operator.post(`/endpoints/${endpointId}/test`).expect(404);
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    expect((await api.operator.get('/endpoints', { tenantId })).body.items).toEqual([]);
  });

  describe('test', () => {
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      receiver = await WebhookReceiver.start();
    });
    afterEach(() => receiver.stop());

    it('sends a signed kernel.ping.v1, also to a disabled endpoint, and leaves only a ledger entry', async () => {
      const { endpointId, secret } = await api.createEndpoint(tenantId, {
        url: receiver.url,
        isEnabled: false,
        isExternal: false,
      });
      const before = await api.countRows();
      const { body } = await api.operator
        .post(`/endpoints/${endpointId}/test`)
        .set('x-trace-id', 'ping-trace')
        .expect(200);

      expect(body).toEqual({ delivered: true, statusCode: 204, latencyMs: expect.any(Number), errorClass: null });
      const [webhook] = receiver.received;
      expect(new Webhook(secret!).verify(webhook!.raw, webhook!.headers as Record<string, string>)).toMatchObject({
        type: 'kernel.ping.v1',
        tenantId,
        traceId: 'ping-trace',
        payload: { message: 'ping' },
      });
      const ledgerCount = String(Number(before.kernel_ledger_entry) + 1);
      expect(await api.countRows()).toEqual({ ...before, kernel_ledger_entry: ledgerCount });
      expect((await api.ledger('endpoint-tested')).at(-1)).toMatchObject({
        endpoint_id: endpointId,
        tenant_id: tenantId,
        trace_id: 'ping-trace',
        actor: 'admin-token',
        status_code: 204,
      });
    });

    it.each([
      ['an answer that is no 2xx', 503, { statusCode: 503, errorClass: 'http_5xx' }],
      ['a redirect, which is not followed', 302, { statusCode: 302, errorClass: 'http_3xx' }],
    ])('reports %s as not delivered', async (_, answer, expected) => {
      receiver.otherwise(answer);
      const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
      const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
      expect(body).toMatchObject({ delivered: false, ...expected });
    });

    it('reports a receiver that is not there', async () => {
      const { endpointId } = await api.createEndpoint(tenantId);
      const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
      expect(body).toEqual({
        delivered: false,
        statusCode: null,
        latencyMs: expect.any(Number),
        errorClass: 'connection',
      });
    });

    it('sends nothing when the secret was revoked', async () => {
      const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url });
      await api.kernel.app.get(PostgresSecretVault).revoke(tenantId, `endpoint-${endpointId}`, 1);
      const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
      expect(body).toEqual({ delivered: false, statusCode: null, latencyMs: null, errorClass: 'secret_unavailable' });
      expect(receiver.received).toEqual([]);
    });
  });
});
