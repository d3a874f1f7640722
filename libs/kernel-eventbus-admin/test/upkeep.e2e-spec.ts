import { randomUUID } from 'node:crypto';
import { Clock } from '@kernel/runtime';
import { PartitionKeeper } from '@kernel/eventbus/engine';
import { daysAgo, insertPastDelivery, insertPastEvent, SetClock } from '@kernel/test-support/past';
import { AdminApi, readAllPages } from '@kernel/test-support/admin-api';

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
    const inDefault = () =>
      insertPastEvent(api.kernel.database, {
        ...{ tenantId, at: daysAgo(100), status: 'PUBLISHED', eventId: randomUUID() },
      });
    await inDefault();
    await deliver(await inDefault(), 'DLQ', 100);
    const openInDefault = await deliver(await inDefault(), 'FAILED');
    const before = await api.countRows();

    const { body: foreseen } = await api.operator.post('/prune', { dryRun: true }).expect(200);
    expect(foreseen).toMatchObject({
      ...{ dryRun: true, isComplete: true, deliveries: { delivered: 1, deadLetters: 1 }, defaultEvents: 2 },
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
      ...{ dryRun: false, isComplete: true, deliveries: foreseen.deliveries as object, defaultEvents: 2 },
      partitions: [{ outcome: 'dropped', events: 3, retained: 2 }, { outcome: 'needed' }, {}, {}],
    });
    const left = await api.kernel.database.query<{ delivery_id: string }>(
      'select delivery_id from kernel_webhook_delivery',
    );
    expect(left.map(({ delivery_id }) => delivery_id).sort()).toEqual([dead, open, openInDefault].sort());
    expect(await api.ledger('partition-dropped')).toHaveLength(3);
    expect(await api.ledger('events-pruned')).toMatchObject([{ actor: 'admin-token', detail: { events: 2 } }]);
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
});
