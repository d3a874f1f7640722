import { randomUUID } from 'node:crypto';
import { Clock } from '@kernel/eventbus';
import { PartitionKeeper } from '../../src/upkeep/partition-keeper.js';
import { daysAgo, insertPastDelivery, insertPastEvent, SetClock } from '../upkeep/past.js';
import { AdminApi, readAllPages } from './admin-api.js';

const OLD_DAYS = 60;

describe('upkeep by hand', () => {
  let api: AdminApi;
  const tenantId = randomUUID();
  beforeAll(async () => {
    const clock = new SetClock();
    clock.time = daysAgo(OLD_DAYS);
    api = await AdminApi.start({ adapt: (builder) => builder.overrideProvider(Clock).useValue(clock) });
    clock.time = new Date();
    await api.kernel.app.get(PartitionKeeper).round();
  });
  afterAll(() => api.close());

  const states = async () => {
    const { items } = await readAllPages(api.operator, '/partitions', { limit: 3 });
    return items.map(({ state }) => state);
  };

  it('[ADR-12] lists the partitions, newest first, with what will become of them', async () => {
    expect(await states()).toEqual([
      ...['ahead', 'ahead', 'ahead', 'current'],
      ...['expired', 'expired', 'expired', 'expired', 'default'],
    ]);
    const { body } = await api.operator.get('/partitions', { limit: 1 }).expect(200);
    expect(body.items).toEqual([
      {
        name: expect.stringMatching(/^kernel_outbox_event_p\d{8}_00$/),
        from: expect.stringMatching(/T00:00:00.000Z$/),
        to: expect.stringMatching(/T00:00:00.000Z$/),
        state: 'ahead',
        estimatedEvents: null,
        bytes: expect.any(Number),
      },
    ]);
  });

  it('[ADR-12] [ADR-13] a dry run says what would go, the order removes just that and the ledger names who', async () => {
    const { endpointId } = (await api.createEndpoint(tenantId)) as { endpointId: string };
    const deliver = (eventId: string, status: string, days = OLD_DAYS) =>
      insertPastDelivery(api.kernel.database, { tenantId, endpointId, eventId, status, at: daysAgo(days) });
    const event = (status: 'PENDING' | 'PUBLISHED', days: number) =>
      insertPastEvent(api.kernel.database, { tenantId, at: daysAgo(days), status });
    await deliver(await event('PUBLISHED', OLD_DAYS), 'DELIVERED');
    const dead = await deliver(await event('PUBLISHED', OLD_DAYS), 'DLQ');
    const open = await deliver(await event('PUBLISHED', OLD_DAYS), 'FAILED');
    await event('PENDING', OLD_DAYS - 1);
    await deliver(randomUUID(), 'DLQ', 100);
    const before = await api.countRows();

    const { body: foreseen } = await api.operator.post('/prune', { dryRun: true }).expect(200);
    expect(foreseen).toMatchObject({
      ...{ dryRun: true, isComplete: true, deliveries: { delivered: 1, deadLetters: 1 } },
      partitions: [
        { outcome: 'expired', events: 3, pending: 0, retained: 2 },
        { outcome: 'needed', events: 1, pending: 1 },
        { outcome: 'expired', events: 0 },
        { outcome: 'expired', events: 0 },
      ],
    });
    expect(await api.countRows()).toEqual(before);
    expect(await states()).toContain('expired');

    const { body: pruned } = await api.operator.post('/prune').expect(200);
    expect(pruned).toMatchObject({
      ...{ dryRun: false, isComplete: true, deliveries: foreseen.deliveries as object },
      partitions: [{ outcome: 'dropped', events: 3, retained: 2 }, { outcome: 'needed' }, {}, {}],
    });
    const left = await api.kernel.database.query<{ delivery_id: string }>(
      'select delivery_id from kernel_webhook_delivery',
    );
    expect(left.map(({ delivery_id }) => delivery_id).sort()).toEqual([dead, open].sort());
    expect(await api.ledger('partition-dropped')).toHaveLength(3);
    expect(await api.ledger('deliveries-pruned')).toMatchObject([
      { actor: 'admin-token', detail: { delivered: 1, deadLetters: 1 } },
    ]);
  });

  it('is for operators only, and takes nothing else', async () => {
    const { client } = await api.tenantAdmin();
    await client.get('/partitions').expect(403);
    await client.post('/prune', { dryRun: true }).expect(403);
    await api.operator.post('/prune', { dryrun: true }).expect(400);
    await api.operator.get('/partitions', { cursor: 'nonsense!' }).expect(400);
  });

  it('[ADR-12] forgets what handlers have processed together with the last delivery of the event', async () => {
    const { database } = api.kernel;
    const [gone, kept, handler] = [randomUUID(), randomUUID(), randomUUID()];
    await database.query(
      `insert into kernel_webhook_endpoint
         (endpoint_id, tenant_id, name, url, subscribed_types, signing_secret_alias, dispatcher)
       values ($1, $1, 'orders.count', 'handler:orders.count', '{t.v1}', 'none', 'handler')`,
      [handler],
    );
    await database.query(
      `insert into kernel_processed_event (handler, event_id) values ('orders.count', $1), ('orders.count', $2)`,
      [gone, kept],
    );
    const old = { tenantId, endpointId: handler, status: 'DELIVERED' };
    await insertPastDelivery(database, { ...old, eventId: gone, at: daysAgo(OLD_DAYS) });
    await insertPastDelivery(database, { ...old, eventId: kept, at: daysAgo(1) });
    await api.operator.post('/prune').expect(200);
    expect(await database.query('select event_id from kernel_processed_event')).toEqual([{ event_id: kept }]);
  });
});
