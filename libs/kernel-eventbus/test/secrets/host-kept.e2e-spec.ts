import { randomBytes, randomUUID } from 'node:crypto';
import { EnvFileSecretsProvider, SecretsProvider, type SecretVersion } from '@kernel/secrets';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import type { Call } from '@kernel/test-support/expect-refused';

const tenantId = randomUUID();
const PARTNER = `KERNEL_TENANT_SECRET_${tenantId.toUpperCase().replaceAll('-', '_')}_PARTNER`;

/** A provider of a host, which may return or throw anything. */
class HostProvider extends SecretsProvider {
  fault: Error | undefined;
  readonly #kept = new EnvFileSecretsProvider({
    env: {
      KERNEL_SECRET_BILLING: `whsec_${randomBytes(32).toString('base64')}`,
      KERNEL_SECRET_SHARED: 'Bearer shared',
      [PARTNER]: 'Bearer own',
    },
  });

  async liveVersions(tenant: string, alias: string): Promise<SecretVersion[]> {
    if (this.fault) {
      throw this.fault;
    }
    return this.#kept.liveVersions(tenant, alias);
  }
}

describe('secrets that the host keeps', () => {
  const provider = new HostProvider();
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ secretsProvider: provider });
  });
  afterEach(() => {
    provider.fault = undefined;
  });
  afterAll(() => api.close());

  const endpoint = (settings: object = {}) => ({
    ...{ tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE], signingSecretAlias: 'billing' },
    ...settings,
  });

  it.each<[string, Call]>([
    ['put', (c) => c.post('/secrets', { tenantId, alias: 'billing' })],
    ['put with a value', (c) => c.post('/secrets', { tenantId, alias: 'partner', value: 'Bearer new' })],
    ['revoked', (c) => c.delete(`/secrets/billing/versions/1?tenantId=${tenantId}`)],
  ])('cannot be %s here, where nothing would come of it: 409', async (_, call) => {
    const before = await api.countRows();
    const { body } = await call(api.operator).expect(409);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:conflict',
      detail: expect.stringContaining('kept by the host'),
    });
    expect(await api.countRows()).toEqual(before);
  });

  it('[KER-6c] go into a header only where they are the credential of the tenant itself', async () => {
    const withHeader = (secretAlias: string) => endpoint({ headers: { 'x-key': { secretAlias } } });
    await api.operator.post('/endpoints', withHeader('partner')).expect(201);
    const { body } = await api.operator.post('/endpoints', withHeader('shared')).expect(400);
    expect(body.detail).toContain('put it where the host keeps them');
  });

  it('answer 503, and change nothing, while they cannot be read', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { signingSecretAlias: 'billing' });
    const before = await api.countRows();
    provider.fault = new Error('vault.internal:8200 refused hunter2');
    for (const call of [
      api.operator.post('/endpoints', endpoint()),
      api.operator.patch(`/endpoints/${endpointId}`, { headers: { 'x-key': { secretAlias: 'partner' } } }),
    ]) {
      const { text, body } = await call.expect(503);
      expect(body).toMatchObject({
        type: 'urn:kernel:problem:secrets-unavailable',
        status: 503,
        title: 'Service Unavailable',
      });
      expect(text).not.toMatch(/hunter2|vault\.internal/);
    }
    expect(await api.countRows()).toEqual(before);
  });
});
