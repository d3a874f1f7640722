import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { ActivityPruner } from '@kernel/eventbus/engine';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

type Stats = Record<'totals' | 'now', Record<string, unknown>> & {
  series: Record<string, unknown>[];
  [name: string]: unknown;
};

describe('the statistics', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    api = await AdminApi.start({ role: 'all', activityIntervalMs: 20, retry: { maxAttempts: 2, initialDelayMs: 1 } });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  const stats = async (query: Record<string, string> = {}, client = api.operator) =>
    (await client.get('/stats', query).expect(200)).body as Stats;

  const settled = (query: Record<string, string>, totals: Record<string, unknown>, now: Record<string, unknown> = {}) =>
    waitFor(
      async () => {
        const found = await stats(query);
        const has = (wanted: Record<string, unknown>, given: Record<string, unknown>) =>
          Object.entries(wanted).every(([name, value]) => given[name] === value);
        return has(totals, found.totals) && has(now, found.now) && found;
      },
      `totals ${JSON.stringify(totals)} and at present ${JSON.stringify(now)}`,
    );

  it('[KER-1] [KER-T] add up what was published, delivered, failed and given up, by tenant, endpoint and time', async () => {
    const [tenantId, other] = [randomUUID(), randomUUID()];
    const good = await api.createEndpoint(tenantId, { url: receiver.url });
    const dead = await api.createEndpoint(tenantId, { url: 'http://127.0.0.1:1/', name: 'dead' });
    await api.createEndpoint(other, { url: receiver.url });
    await api.publish(tenantId);
    await api.publish(tenantId, { streamKey: 'invoice:2' });
    await api.publish(other);

    const counts = { published: 2, delivered: 2, failedAttempts: 4, deadLettered: 2 };
    const { totals, series, now, ...rest } = await settled({ tenantId }, counts, { due: 0, deadLetters: 2 });
    const latencyMs = { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) };
    expect(totals).toEqual({ ...counts, successRate: 2 / 6, latencyMs });
    expect(now).toMatchObject({ due: 0, oldestDueSeconds: 0, deadLetters: 2, workersAlive: 1, countCap: 10_000 });
    expect(now.deliveredPerSecond).toBeGreaterThan(0);
    expect(rest).toMatchObject({ window: '1h', stepSeconds: 60 });
    expect(series).toHaveLength(60);
    expect(series[0]).toEqual({
      ...{ at: rest.from, published: 0, delivered: 0, failedAttempts: 0, deadLettered: 0, latencyMs: null },
    });
    expect(series.reduce((sum, { delivered }) => sum + (delivered as number), 0)).toBe(2);

    await settled({ tenantId, endpointId: good.endpointId! }, { published: 0, delivered: 2, failedAttempts: 0 });
    await settled({ endpointId: dead.endpointId! }, { delivered: 0, deadLettered: 2, successRate: 0, latencyMs: null });
    await settled({}, { published: 3, delivered: 3, deadLettered: 2 });
    for (const [window, stepSeconds, steps] of [
      ['24h', 1_800, 48],
      ['7d', 10_800, 56],
    ] as const) {
      const found = await settled({ tenantId, window }, counts);
      expect([found.stepSeconds, found.series.length]).toEqual([stepSeconds, steps]);
    }

    const { client } = await api.tenantAdmin(other);
    expect((await stats({}, client)).totals).toMatchObject({ published: 1, delivered: 1, deadLettered: 0 });
    expect((await stats({}, client)).now).toMatchObject({ deadLetters: 0, workersAlive: 1 });
    await client.get('/stats', { tenantId }).expect(403);
    await client.get('/stats', { endpointId: good.endpointId! }).expect(404);

    const { body: health } = await api.operator.get('/endpoints/health', { tenantId }).expect(200);
    const items = health.items as { endpointId: string; series: { delivered: number; failedAttempts: number }[] }[];
    expect(items.map(({ endpointId }) => endpointId)).toEqual([dead.endpointId, good.endpointId]);
    expect(items.map((item) => item.series.length)).toEqual([24, 24]);
    const sums = items.map(({ series }) => [
      series.reduce((sum, { delivered }) => sum + delivered, 0),
      series.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0),
    ]);
    expect(sums).toEqual([
      [0, 4],
      [2, 0],
    ]);
    const { body: his } = await client.get('/endpoints/health').expect(200);
    expect(his.items).toHaveLength(1);
  });

  it('cost one row for each step of time and scope, however many events there are, and are removed when old', async () => {
    const tenantId = randomUUID();
    await api.createEndpoint(tenantId, { url: receiver.url });
    await Promise.all(Array.from({ length: 30 }, (_, n) => api.publish(tenantId, { streamKey: `invoice:${n}` })));
    await settled({ tenantId }, { published: 30, delivered: 30 });
    const rows = () =>
      api.kernel.database.query('select from kernel_activity where tenant_id = $1 order by step_seconds', [tenantId]);
    // Two scopes and two time steps; each may double if a minute or half hour ends meanwhile.
    expect((await rows()).length).toBeLessThanOrEqual(8);

    await api.kernel.database.query(
      `update kernel_activity set starts_at = starts_at - interval '4 hours' where tenant_id = $1 and step_seconds = 60`,
      [tenantId],
    );
    const pruner = api.kernel.app.get(ActivityPruner, { strict: false });
    expect(await pruner.round()).toBeGreaterThanOrEqual(2);
    expect((await rows()).length).toBeLessThanOrEqual(4);
    await settled({ tenantId, window: '7d' }, { delivered: 30 });
  });

  it('are written when the app stops', async () => {
    const tenantId = randomUUID();
    const leaving = await AdminApi.start({ database: api.kernel.database, activityIntervalMs: 60_000 });
    await leaving.publish(tenantId);
    await leaving.close();
    expect((await stats({ tenantId })).totals).toMatchObject({ published: 1 });
  });

  it('tell what waits and what stands still', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { isEnabled: false, subscribedTypes: [TYPE] });
    await api.kernel.database.query(
      `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at)
       values ($1, $2, now() + interval '1 hour')`,
      [endpointId, tenantId],
    );
    const deliveryId = await api.addDelivery(tenantId, endpointId!, 'DLQ');
    await api.addLane(tenantId, endpointId!, deliveryId);
    await api.kernel.database.query(
      `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id,
         next_attempt_at, dispatched_at, leased_by, lease_until)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 't.v1', 'trace-0001', now() - interval '90 seconds', now(),
         'somebody', now() + interval '1 hour')`,
      [tenantId, endpointId],
    );
    for (const query of [{ tenantId }, { endpointId: endpointId! }] as Record<string, string>[]) {
      const isRouted = async () => (await stats(query)).now.due === 1;
      await waitFor(isRouted, 'the event to be routed');
      const { now } = await stats(query);
      expect(now).toMatchObject({ due: 1, leased: 1, deadLetters: 1, openCircuits: 1, blockedLanes: 1 });
      expect(now.oldestDueSeconds).toBeGreaterThanOrEqual(90);
    }
    const { body } = await api.operator.get(`/endpoints/${endpointId}`).expect(200);
    expect(body.circuit).toEqual({ state: 'open', until: expect.stringMatching(/Z$/) });
    await api.kernel.database.query(`update kernel_endpoint_circuit set probe_at = now()`);
    const { body: list } = await api.operator.get('/endpoints', { tenantId }).expect(200);
    expect(list.items).toMatchObject([{ endpointId, circuit: { state: 'half-open' } }]);
    const { body: fresh } = await api.operator.get(`/endpoints/${(await api.createEndpoint(tenantId)).endpointId}`);
    expect(fresh.circuit).toEqual({ state: 'closed', until: null });
  });

  it.each<Record<string, string>>([{ window: '2h' }, { tenantId: 'x' }, { since: '2026-01-01' }])(
    'refuse %j',
    async (query) => {
      await api.operator.get('/stats', query).expect(400);
    },
  );
});
