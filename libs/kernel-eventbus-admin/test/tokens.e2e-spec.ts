import { randomUUID } from 'node:crypto';
import { AdminApi } from '@kernel/test-support/admin-api';

describe('tokens', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it('are shown once, kept as a hash, and work at once', async () => {
    const { body } = await api.operator.post('/tokens', { name: 'console', role: 'operator' }).expect(201);

    expect(body).toEqual({
      tokenId: expect.any(String),
      name: 'console',
      role: 'operator',
      tenantId: null,
      createdAt: expect.stringMatching(/Z$/),
      createdBy: 'admin-token',
      revokedAt: null,
      expiresAt: null,
      token: expect.stringMatching(/^keb_[A-Za-z0-9_-]{43}$/),
    });
    await api.as(body.token).get('/endpoints').expect(200);

    const { token, ...shown } = body;
    const { body: list } = await api.operator.get('/tokens').expect(200);
    expect(list.items).toContainEqual(shown);
    const stored = await api.kernel.database.query(
      `select to_jsonb(t) as row from kernel_admin_token t union all select to_jsonb(l) from kernel_ledger_entry l`,
    );
    expect(JSON.stringify(stored)).not.toContain(token);
    const [{ token_hash: hash }] = (await api.kernel.database.query<{ token_hash: string }>(
      'select token_hash from kernel_admin_token where token_id = $1',
      [body.tokenId],
    )) as [{ token_hash: string }];
    expect(JSON.stringify([list, await api.ledger('token-created')])).not.toContain(hash);
  });

  it('are refused at once when revoked, and stay revoked', async () => {
    const { body } = await api.operator.post('/tokens', { name: 'short-lived', role: 'operator' }).expect(201);
    const client = api.as(body.token);
    await client.get('/audit').expect(200);

    await client.delete(`/tokens/${body.tokenId}`).expect(204);
    await client.get('/audit').expect(401);
    await api.operator.delete(`/tokens/${body.tokenId}`).expect(204);

    const { body: list } = await api.operator.get('/tokens').expect(200);
    const listed = (list.items as { tokenId: string; revokedAt: string | null }[]).find(
      ({ tokenId }) => tokenId === body.tokenId,
    );
    expect(listed?.revokedAt).toMatch(/Z$/);
    expect(await api.ledger('token-revoked')).toMatchObject([
      {
        actor: `short-lived (${body.tokenId})`,
        detail: { tokenId: body.tokenId, before: { name: 'short-lived', role: 'operator' } },
      },
    ]);
  });

  it('of a tenant admin name the tenant in the ledger and in the list', async () => {
    const tenantId = randomUUID();
    const { body } = await api.operator.post('/tokens', { name: 'acme', role: 'tenant-admin', tenantId }).expect(201);
    expect(body).toMatchObject({ role: 'tenant-admin', tenantId });
    expect((await api.ledger('token-created')).at(-1)).toMatchObject({
      tenant_id: tenantId,
      actor: 'admin-token',
      detail: { tokenId: body.tokenId, after: { name: 'acme', role: 'tenant-admin' } },
    });
  });
});
