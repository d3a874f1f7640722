import { randomUUID } from 'node:crypto';
import { AdminApi, type AdminClient, TYPE } from '@kernel/test-support/admin-api';
import {
  MAX_POLICIES,
  MAX_POLICY_VERSIONS,
  MAX_SECRET_VERSIONS,
  SECRETS_PER_ENDPOINT,
  MAX_PAGE_BYTES,
} from '@kernel/eventbus/engine';

const MAX_ENDPOINTS = 3;
const MAX_SECRETS = SECRETS_PER_ENDPOINT * MAX_ENDPOINTS;
/** Of an endpoint with the most types, subscriptions and headers. */
const LARGEST_ENDPOINT = 200_000;

describe('what the admin of a tenant can make large', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ maxEndpointsPerTenant: MAX_ENDPOINTS });
  });
  afterAll(() => api.close());

  const newEndpoint = (tenantId: string) => ({ tenantId, url: 'https://example.com/hook', subscribedTypes: [TYPE] });

  it('ends at the endpoints of a tenant, also where many are created at once', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const answers = await Promise.all(
      Array.from({ length: 3 * MAX_ENDPOINTS }, () => client.post('/endpoints', newEndpoint(tenantId))),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(MAX_ENDPOINTS);
    const refused = answers.find(({ status }) => status !== 201)!;
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ detail: expect.stringMatching(/at most 3 endpoints.*maxEndpointsPerTenant/) });
    const [{ secrets }] = (await api.kernel.database.query(
      'select count(*)::int as secrets from kernel_secret_version where tenant_id = $1',
      [tenantId],
    )) as [{ secrets: number }];
    expect(secrets).toBe(MAX_ENDPOINTS);

    const [first] = created.map(({ body }) => body as { endpointId: string });
    await client.patch(`/endpoints/${first!.endpointId}`, { isEnabled: false }).expect(200);
    await client.post('/endpoints', newEndpoint(tenantId)).expect(409);
    await client.delete(`/endpoints/${first!.endpointId}`).expect(204);
    await client.post('/endpoints', newEndpoint(tenantId)).expect(201);
    await api.createEndpoint(tenantId);
    await api.createEndpoint(randomUUID());
  });

  it('ends at the secrets of a tenant, until one is revoked', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    await api.kernel.database.query(
      `insert into kernel_secret_version (tenant_id, alias, version, kind, ciphertext, key_fingerprint)
       select $1, 'alias-' || n, 1, 'hmac', '\\x00', 'test' from generate_series(1, ${MAX_SECRETS}) n`,
      [tenantId],
    );
    const put = (by: AdminClient, alias: string) => by.post('/secrets', { tenantId, alias });
    const { body } = await put(client, 'one-too-many').expect(409);
    expect(body).toMatchObject({ detail: expect.stringMatching(`at most ${MAX_SECRETS} secrets`) });
    await put(client, 'alias-2').expect(201);
    await client.delete('/secrets/alias-1/versions/1').expect(204);
    await put(client, 'instead').expect(201);
    await put(client, 'one-too-many').expect(409);
    // The alias that a tenant chose counts, although the endpoint that used it is deleted.
    const endpointId = randomUUID();
    await api.kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, deleted_at)
       values ($2, $1, 'https://example.com', '{t}', 'alias-3', now())`,
      [tenantId, endpointId],
    );
    await put(client, 'one-too-many').expect(409);
    // The secret made for a deleted endpoint does not count.
    await api.kernel.database.query(
      `update kernel_secret_version set state = 'revoked', ciphertext = '' where tenant_id = $1 and alias = 'alias-4'`,
      [tenantId],
    );
    await api.kernel.database.query(
      `insert into kernel_secret_version (tenant_id, alias, version, kind, ciphertext, key_fingerprint)
       values ($1, 'endpoint-' || $2, 1, 'hmac', '\\x00', 'test')`,
      [tenantId, endpointId],
    );
    await put(client, 'after-a-deletion').expect(201);
    await put(api.operator, 'by-an-operator').expect(201);
  });

  it('ends at the versions of a secret', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    await api.kernel.database.query(
      `insert into kernel_secret_version (tenant_id, alias, version, kind, state, ciphertext, key_fingerprint)
       values ($1, 'old', ${MAX_SECRET_VERSIONS}, 'hmac', 'revoked', '\\x00', 'test')`,
      [tenantId],
    );
    const { body } = await client.post('/secrets', { tenantId, alias: 'old' }).expect(409);
    expect(body).toMatchObject({ detail: expect.stringContaining(`at most ${MAX_SECRET_VERSIONS} versions`) });
    await api.operator.post('/secrets', { tenantId, alias: 'old' }).expect(201);
  });

  it('ends at the policies of a tenant and at the versions of one', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    await api.kernel.database.query(
      `insert into kernel_privacy_policy (policy_id, tenant_id, event_type, version, rules, created_by)
       select gen_random_uuid(), $1::uuid, 'type-' || n, 1, '[]'::jsonb, 'test' from generate_series(1, ${MAX_POLICIES}) n
       union all select gen_random_uuid(), $1::uuid, 'type-1', ${MAX_POLICY_VERSIONS}, '[]'::jsonb, 'test'`,
      [tenantId],
    );
    const put = (by: AdminClient, type: string) => by.put(`/policies/${type}`, { tenantId, rules: [] });
    expect((await put(client, 'another').expect(409)).body).toMatchObject({
      detail: expect.stringContaining(`at most ${MAX_POLICIES} types`),
    });
    expect((await put(client, 'type-1').expect(409)).body).toMatchObject({
      detail: expect.stringContaining(`at most ${MAX_POLICY_VERSIONS} versions`),
    });
    await put(client, 'type-2').expect(200);
    await put(api.operator, 'another').expect(200);
    await put(api.operator, 'type-1').expect(200);
  });

  it('ends at the bytes of a page, however large the endpoints are', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId, {
      subscribedTypes: Array.from({ length: 500 }, (_, n) => `${n}-`.padEnd(160, 'x')),
    });
    await api.kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
       select gen_random_uuid(), tenant_id, url, subscribed_types, signing_secret_alias
       from kernel_webhook_endpoint, generate_series(1, 199) where endpoint_id = $1`,
      [endpointId],
    );
    const { text } = await client.get('/endpoints', { limit: 200 }).expect(200);
    expect(text.length).toBeLessThan(MAX_PAGE_BYTES + LARGEST_ENDPOINT);
  });
});
