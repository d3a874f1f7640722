import { randomUUID } from 'node:crypto';
import { AdminApi, readAllPages, TYPE } from '@kernel/test-support/admin-api';

const LONG_AGO = '2020-01-01T00:00:00Z';
const reason = 'the receiver is repaired';
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

describe('orders for bulk work', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ operations: { maxDeliveries: 5, maxOpen: 2 } });
  });
  afterAll(() => api.close());

  async function setup(settings: object = {}) {
    const { tenantId, client } = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId, { ...settings });
    const dead = await api.addDelivery(tenantId, endpointId!, 'DLQ');
    const delivered = await api.addDelivery(tenantId, endpointId!, 'DELIVERED');
    await api.addDelivery(tenantId, endpointId!, 'PENDING');
    return { tenantId, client, endpointId: endpointId!, dead, delivered };
  }

  it('[ADR-10] a dry run counts what would be replayed and changes nothing', async () => {
    const { client, endpointId, tenantId } = await setup();
    const before = await api.countRows();
    const count = async (filter: object) =>
      (await client.post('/deliveries/replay', { filter, reason, dryRun: true }).expect(200)).body as object;

    expect(await count({ all: true })).toEqual({ count: 2 });
    expect(await count({ status: 'DLQ' })).toEqual({ count: 1 });
    expect(await count({ status: 'DELIVERED', endpointId, tenantId, type: TYPE })).toEqual({ count: 1 });
    expect(await count({ type: 'other.v1' })).toEqual({ count: 0 });
    expect(await count({ since: hourAgo() })).toEqual({ count: 2 });
    expect(await count({ until: hourAgo() })).toEqual({ count: 0 });
    const { body } = await client
      .post(`/endpoints/${endpointId}/recover`, { since: hourAgo(), reason, dryRun: true })
      .expect(200);
    expect(body).toEqual({ count: 1 });
    expect(await api.countRows()).toEqual(before);
  });

  it('[KER-6e] an order is under way with who, why and what in the ledger, and can be cancelled once', async () => {
    const { client, endpointId, tenantId } = await setup();
    const { body } = await client.post(`/endpoints/${endpointId}/recover`, { since: hourAgo(), reason }).expect(202);
    expect(body).toEqual({ operationId: expect.any(String) });
    const { operationId } = body as { operationId: string };

    const { body: operation } = await client.get(`/operations/${operationId}`).expect(200);
    expect(operation).toMatchObject({
      ...{ kind: 'recover', state: 'pending', total: 1, done: 0, failed: 0, tenantId, endpointId, reason },
      ...{ actor: expect.stringContaining('tenant admin'), finishedAt: null },
    });
    const { body: cancelled } = await client.post(`/operations/${operationId}/cancel`).expect(200);
    expect(cancelled).toMatchObject({ state: 'cancelled', done: 0, finishedAt: expect.any(String) });
    const { body: again } = await client.post(`/operations/${operationId}/cancel`).expect(409);
    expect(again.detail).toContain('cancelled');

    const entries = (await api.ledger('operation-started')).concat(await api.ledger('operation-cancelled'));
    expect(
      entries.filter(({ detail }) => (detail as { operationId: string }).operationId === operationId),
    ).toMatchObject([
      { tenant_id: tenantId, endpoint_id: endpointId, reason, actor: operation.actor, detail: { total: 1 } },
      { tenant_id: tenantId, reason, actor: operation.actor, detail: { operation: 'recover', done: 0 } },
    ]);
  });

  it('[KER-T] operations of others are unknown, and so are their endpoints', async () => {
    const own = await setup();
    const foreign = await setup();
    const started = await foreign.client.post('/deliveries/replay', { filter: { all: true }, reason }).expect(202);
    const operationId = (started.body as { operationId: string }).operationId;

    await own.client.get(`/operations/${operationId}`).expect(404);
    await own.client.post(`/operations/${operationId}/cancel`).expect(404);
    await own.client.post(`/endpoints/${foreign.endpointId}/recover`, { since: hourAgo(), reason }).expect(404);
    await own.client.post(`/endpoints/${foreign.endpointId}/replay-missing`, { since: hourAgo(), reason }).expect(404);
    await own.client
      .post('/deliveries/replay', { filter: { endpointId: foreign.endpointId }, reason, dryRun: true })
      .expect(404);
    await own.client
      .post('/deliveries/replay', { filter: { tenantId: foreign.tenantId }, reason, dryRun: true })
      .expect(403);
    const { items } = await readAllPages(own.client, '/operations', {});
    expect(items).toEqual([]);
    const { body } = await api.operator.get(`/operations/${operationId}`).expect(200);
    expect(body).toMatchObject({ total: 2, tenantId: foreign.tenantId });
  });

  it('are listed newest first, by state', async () => {
    const { client } = await setup();
    const order = () => client.post('/deliveries/replay', { filter: { all: true }, reason }).expect(202);
    const ids = [(await order()).body.operationId, (await order()).body.operationId] as string[];
    await client.post(`/operations/${ids[0]}/cancel`).expect(200);
    const { items, pages } = await readAllPages(client, '/operations', { limit: 1 });
    expect(items.map(({ operationId }) => operationId)).toEqual([...ids].reverse());
    expect(pages).toBe(2);
    const { body } = await client.get('/operations', { state: 'cancelled' }).expect(200);
    expect(body.items).toMatchObject([{ operationId: ids[0] }]);
  });

  it('are refused beyond the caps, also as a dry run', async () => {
    const { client, tenantId, endpointId } = await setup();
    const order = (dryRun: boolean) => client.post('/deliveries/replay', { filter: { all: true }, reason, dryRun });
    await order(false).expect(202);
    await order(false).expect(202);
    const { body } = await order(false).expect(409);
    expect(body.detail).toContain('2 operations are under way');
    await order(true).expect(200);
    for (let n = 0; n < 4; n++) {
      await api.addDelivery(tenantId, endpointId, 'DLQ');
    }
    const { body: tooMany } = await order(true).expect(409);
    expect(tooMany.detail).toContain('more than 5 deliveries');
  });

  it('are refused for a deleted endpoint, whose deliveries no filter finds either', async () => {
    const { client, endpointId } = await setup();
    await client.delete(`/endpoints/${endpointId}`).expect(204);
    const order = { since: hourAgo(), reason };
    await client.post(`/endpoints/${endpointId}/recover`, order).expect(409);
    await client.post(`/endpoints/${endpointId}/replay-missing`, order).expect(409);
    await client.post('/deliveries/replay', { filter: { endpointId }, reason }).expect(409);
    const { body } = await client
      .post('/deliveries/replay', { filter: { all: true }, reason, dryRun: true })
      .expect(200);
    expect(body).toEqual({ count: 0 });
  });

  it('replay missing is refused where events are not kept that long; recover looks at dead letters, which are', async () => {
    const { client, endpointId } = await setup();
    const { body } = await client
      .post(`/endpoints/${endpointId}/replay-missing`, { since: LONG_AGO, reason, dryRun: true })
      .expect(400);
    expect(body.errors).toEqual([{ path: 'since', message: expect.stringContaining('30 days') }]);
    await client.post(`/endpoints/${endpointId}/recover`, { since: LONG_AGO, reason, dryRun: true }).expect(200);
  });

  it.each([
    ['no filter', '/deliveries/replay', { reason }],
    ['an empty filter', '/deliveries/replay', { filter: {}, reason }],
    ['all and a condition', '/deliveries/replay', { filter: { all: true, status: 'DLQ' }, reason }],
    ['all that is false', '/deliveries/replay', { filter: { all: false }, reason }],
    ['a status that is not settled', '/deliveries/replay', { filter: { status: 'PENDING' }, reason }],
    ['an unknown condition', '/deliveries/replay', { filter: { traceId: 'trace-0001' }, reason }],
    ['no reason', '/deliveries/replay', { filter: { all: true } }],
    ['a blank reason', '/deliveries/replay', { filter: { all: true }, reason: '  ' }],
    ['a reason that is too long', '/deliveries/replay', { filter: { all: true }, reason: 'x'.repeat(501) }],
    ['a dry run that is no boolean', '/deliveries/replay', { filter: { all: true }, reason, dryRun: 'yes' }],
    ['no time', `/endpoints/${randomUUID()}/recover`, { reason }],
    ['a time without a zone', `/endpoints/${randomUUID()}/replay-missing`, { since: '2026-01-01T00:00:00', reason }],
    ['a malformed id', '/endpoints/nobody/recover', { since: LONG_AGO, reason }],
    ['a body where none is taken', `/operations/${randomUUID()}/cancel`, { reason }],
  ])('%s is a 400, and nothing is ordered', async (_what, path, body) => {
    const before = await api.countRows();
    await api.operator.post(path, body).expect(400);
    expect(await api.countRows()).toEqual(before);
  });
});
