import { randomUUID } from 'node:crypto';
import { AdminApi, readAllPages, TYPE } from '@kernel/test-support/admin-api';

const COUNT = 17;
const LIMIT = 4;
const PAGES = 5;

describe('lists', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  async function times<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
    const made: T[] = [];
    for (let n = 0; n < count; n += 1) {
      made.push(await make(n));
    }
    return made;
  }

  it('of endpoints come newest first, page by page, while more are made', async () => {
    const tenantId = randomUUID();
    const create = async () => (await api.createEndpoint(tenantId)).endpointId!;
    const made = await times(COUNT, create);
    const { items, pages } = await readAllPages(api.operator, '/endpoints', { tenantId, limit: LIMIT }, create);
    expect(items.map(({ endpointId }) => endpointId)).toEqual(made.toReversed());
    expect(pages).toBe(PAGES);
  });

  it('of events keep to the microsecond, whatever the ids are', async () => {
    const tenantId = randomUUID();
    // One transaction per event for most. The last events share statements, so they are microseconds apart, with random
    // ids.
    const publish = (n: number) => api.publish(tenantId, n % 2 ? { eventId: randomUUID() } : {});
    await times(7, publish);
    await api.kernel.em.fork().transactional((em) =>
      api.kernel.outbox.publishAll(
        Array.from({ length: COUNT - 7 }, () => ({
          tenantId,
          type: TYPE,
          streamKey: 's',
          traceId: 'trace-0001',
          eventId: randomUUID(),
        })),
        { em },
      ),
    );
    const stored = await api.kernel.database.query<{ event_id: string }>(
      'select event_id from kernel_outbox_event where tenant_id = $1 order by created_at desc, event_id desc',
      [tenantId],
    );
    const query = { tenantId, limit: LIMIT };
    const { items, pages } = await readAllPages(api.operator, '/events', query, () => publish(1));
    expect(items.map(({ eventId }) => eventId)).toEqual(stored.map((row) => row.event_id));
    expect(pages).toBe(PAGES);
  });

  it('of events tell apart those of the very same microsecond', async () => {
    const tenantId = randomUUID();
    await api.kernel.database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, created_at)
       select gen_random_uuid(), $1, 's', 't', now(), 'trace-0001', '{}', 'x', now() from generate_series(1, $2)`,
      [tenantId, COUNT],
    );
    const { items } = await readAllPages(api.operator, '/events', { tenantId, limit: LIMIT });
    expect(new Set(items.map(({ eventId }) => eventId)).size).toBe(COUNT);
    expect(items).toHaveLength(COUNT);
  });

  it('of deliveries and of the ledger come newest first, page by page, while more are made', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId);
    const add = () => api.addDelivery(tenantId, endpointId!);
    const made = await times(COUNT, add);
    const { items, pages } = await readAllPages(api.operator, '/deliveries', { tenantId, limit: LIMIT }, add);
    expect(items.map(({ deliveryId }) => deliveryId)).toEqual(made.toReversed());
    expect(pages).toBe(PAGES);

    const rename = (n: number) => api.operator.patch(`/endpoints/${endpointId}`, { name: `name ${n}` }).expect(200);
    await times(COUNT, rename);
    const query = { endpointId: endpointId!, kind: 'endpoint-updated', limit: LIMIT };
    const ledger = await readAllPages(api.operator, '/audit', query, () => rename(Math.random()));
    expect(ledger.items.map(({ detail }) => (detail as never as { after: { name: string } }).after.name)).toEqual(
      Array.from({ length: COUNT }, (_, n) => `name ${COUNT - 1 - n}`),
    );
    expect(ledger.pages).toBe(PAGES);
  });

  it('of lanes come newest first, page by page, while more are made', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { ordering: 'stream' });
    const add = () => api.addLane(tenantId, endpointId!);
    const made = await times(COUNT, add);
    const { items, pages } = await readAllPages(api.operator, '/lanes', { tenantId, limit: LIMIT }, add);
    expect(items.map(({ laneId }) => laneId)).toEqual(made.toReversed());
    expect(pages).toBe(PAGES);
  });

  it('of policies and tokens come newest first, page by page', async () => {
    const { client, tenantId } = await api.tenantAdmin();
    const types = Array.from({ length: COUNT }, (_, n) => `type-${n}.v1`);
    await times(COUNT, (n) => client.put(`/policies/${types[n]}`, { rules: [] }).expect(200));
    const policies = await readAllPages(client, '/policies', { tenantId, limit: LIMIT });
    expect(policies.items.map(({ eventType }) => eventType)).toEqual(types.toReversed());
    expect(policies.pages).toBe(PAGES);

    const made = await times(COUNT, (n) =>
      api.operator.post('/tokens', { name: `t${n}`, role: 'operator' }).expect(201),
    );
    const tokens = await readAllPages(api.operator, '/tokens', { limit: LIMIT });
    expect(tokens.items.slice(0, COUNT).map(({ tokenId }) => tokenId)).toEqual(
      made.map(({ body }) => body.tokenId as string).toReversed(),
    );
  });

  it('have 50 items by default and up to 200 when asked, and no next page when they just fit', async () => {
    const tenantId = randomUUID();
    await api.kernel.database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
       select gen_random_uuid(), $1, 's', 't', now(), 'trace-0001', '{}', 'x' from generate_series(1, 200)`,
      [tenantId],
    );
    const { body } = await api.operator.get('/events', { tenantId }).expect(200);
    expect(body.items).toHaveLength(50);
    expect(body.nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    const { body: all } = await api.operator.get('/events', { tenantId, limit: 200 }).expect(200);
    expect(all.items).toHaveLength(200);
    expect(all.nextCursor).toBeNull();
  });
});
