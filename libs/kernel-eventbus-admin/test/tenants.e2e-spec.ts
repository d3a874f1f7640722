import { randomUUID } from 'node:crypto';
import { AdminApi, readAllPages } from '@kernel/test-support/admin-api';

describe('tenants', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it('[KER-T] are those with an endpoint or events, each once, page by page; a tenant admin finds his own', async () => {
    const [both, silent, unheard] = [randomUUID(), randomUUID(), randomUUID()];
    await api.createEndpoint(both);
    await api.createEndpoint(both);
    await api.publish(both);
    await api.publish(both);
    await api.createEndpoint(silent);
    await api.publish(unheard);
    const gone = await api.createEndpoint(randomUUID());
    await api.operator.delete(`/endpoints/${gone.endpointId}`).expect(204);

    const { items, pages } = await readAllPages(api.operator, '/tenants', { limit: 1 });
    expect(items).toEqual(
      [
        { tenantId: both, endpoints: 2 },
        { tenantId: silent, endpoints: 1 },
        { tenantId: unheard, endpoints: 0 },
      ].sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1)),
    );
    expect(pages).toBe(3);

    const { client } = await api.tenantAdmin(both);
    expect((await client.get('/tenants').expect(200)).body).toEqual({
      items: [{ tenantId: both, endpoints: 2 }],
      nextCursor: null,
    });
  });
});
