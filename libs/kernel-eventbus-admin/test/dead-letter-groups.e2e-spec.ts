import { randomUUID } from 'node:crypto';
import { AdminApi } from '@kernel/test-support/admin-api';

describe('GET /deliveries/groups', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  const addDeadLetters = (tenantId: string, endpointId: string, count: number, errorClass: string | null) =>
    api.kernel.database.query(
      `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
         error_class, dead_letter_reason, dispatched_at, settled_at)
       select gen_random_uuid(), $1, $2, gen_random_uuid(), 't.v1', 'trace-0001', 'DLQ', $4, 'endpoint_deleted', now(),
         timestamptz '2026-11-01 00:00Z' + n * interval '1 second'
       from generate_series(1, $3::int) n`,
      [tenantId, endpointId, count, errorClass],
    );

  it('[KER-2.4] [KER-T] counts dead letters by endpoint and error class, the largest group first', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    const shop = await api.createEndpoint(tenantId, { name: 'shop' });
    const crm = await api.createEndpoint(tenantId, { name: 'crm' });
    const foreign = await api.createEndpoint(other);
    await addDeadLetters(tenantId, shop.endpointId!, 3, 'timeout');
    await addDeadLetters(tenantId, shop.endpointId!, 2, 'http_500');
    await addDeadLetters(tenantId, crm.endpointId!, 1, null);
    await addDeadLetters(other, foreign.endpointId!, 4, 'timeout');
    await api.addDelivery(tenantId, shop.endpointId!, 'DELIVERED');

    const groups = (from: string, to: string) => ({
      more: false,
      oldestAt: `2026-11-01T00:00:0${from}.000Z`,
      newestAt: `2026-11-01T00:00:0${to}.000Z`,
    });
    const own = [
      { endpointId: shop.endpointId, endpointName: 'shop', errorClass: 'timeout', count: 3, ...groups('1', '3') },
      { endpointId: shop.endpointId, endpointName: 'shop', errorClass: 'http_500', count: 2, ...groups('1', '2') },
      {
        endpointId: crm.endpointId,
        endpointName: 'crm',
        errorClass: 'endpoint_deleted',
        count: 1,
        ...groups('1', '1'),
      },
    ].map((group) => ({ tenantId, ...group }));
    const { client } = await api.tenantAdmin(tenantId);
    expect((await client.get('/deliveries/groups').expect(200)).body).toEqual({ items: own });
    expect((await api.operator.get('/deliveries/groups', { tenantId }).expect(200)).body).toEqual({ items: own });
    const { body } = await api.operator.get('/deliveries/groups').expect(200);
    expect(body.items).toEqual([
      {
        ...{ tenantId: other, endpointId: foreign.endpointId, endpointName: null, errorClass: 'timeout', count: 4 },
        ...groups('1', '4'),
      },
      ...own,
    ]);
  });

  it('says where it stopped counting', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId);
    await addDeadLetters(tenantId, endpointId!, 5_001, 'timeout');
    const { body } = await api.operator.get('/deliveries/groups', { tenantId }).expect(200);
    expect(body.items).toMatchObject([{ endpointId, count: 5_000, more: true }]);
    const { body: all } = await api.operator.get('/deliveries/groups').expect(200);
    expect((all.items as { tenantId: string; more: boolean }[]).filter(({ more }) => more)).toMatchObject([
      { tenantId },
    ]);
  });
});
