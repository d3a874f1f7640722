import { randomUUID } from 'node:crypto';
import { EventBusMetricsModule } from '../../src/metrics/eventbus-metrics.module.js';
import { LedgerChainStatus, LedgerSealer, BackgroundVerifier } from '@kernel/ledger';
import { waitFor } from '@kernel/eventbus/testing';
import { Module } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import request from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Scrape } from '@kernel/test-support/scrape';

const tenantId = randomUUID();
const service = 'kernel-eventbus';
const chain = { broken: undefined as boolean | undefined, verifiedAt: null as string | null };

@Module({
  providers: [
    { provide: LedgerChainStatus, useValue: { isBroken: () => chain.broken, verifiedAt: () => chain.verifiedAt } },
  ],
  exports: [LedgerChainStatus],
})
class ChainModule {}

describe('what the gauges say of the database', () => {
  let kernel: KernelApp;
  const registry = new Registry();
  const scrape = async () => new Scrape(await registry.metrics());

  beforeAll(async () => {
    const metrics = EventBusMetricsModule.forRoot({
      registry,
      route: false,
      refreshIntervalMs: 1,
      endpointLabels: true,
    });
    kernel = await startKernelApp({
      role: 'api',
      sealing: { lagMs: 0 },
      imports: [{ ...metrics, imports: [ChainModule] }],
    });
  });
  afterAll(() => kernel.close());

  interface Row {
    endpointId: string;
    status?: string;
    /** Seconds from now. */
    due?: number;
    settledAgo?: number;
    isParked?: boolean;
    isSuspect?: boolean;
    laneId?: string;
    streamSequence?: number;
  }

  const insert = (rows: Row[]) =>
    Promise.all(
      rows.map(({ endpointId, status = 'PENDING', due = 0, ...row }) =>
        kernel.database.query(
          `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id,
             next_attempt_at, dispatched_at, settled_at, is_parked, is_suspect, lane_id, stream_sequence)
           values ($1, $2, $3, $4, 't.v1', $5, 'trace-0001', now() + $6 * interval '1 second', now(),
             now() - $7::int * interval '1 second', $8, $9, $10, $11)`,
          [
            ...[uuidv7(), tenantId, endpointId, randomUUID(), status, due, row.settledAgo ?? null],
            ...[row.isParked ?? false, row.isSuspect ?? false, row.laneId ?? null, row.streamSequence ?? null],
          ],
        ),
      ),
    );

  it('[ADR-7] [AC11] count events that wait to be routed, and for how long', async () => {
    const events = [1, 2, 3].map((n) => ({ tenantId, type: 't.v1', streamKey: `s:${n}`, traceId: 'trace-0001' }));
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
    const scraped = await scrape();
    expect(scraped.value('outbox_events_pending')).toBe(3);
    expect(scraped.value('outbox_backlog_gauge', { service })).toBe(3);
    expect(scraped.value('kernel_backlog', { stage: 'routing' })).toBe(3);
    expect(scraped.value('kernel_backlog_oldest_age_seconds', { stage: 'routing' })).toBeGreaterThan(0);
  });

  it('[ADR-8] count what is due, with its oldest and average age, behind an open circuit apart', async () => {
    const [alive, dead] = [randomUUID(), randomUUID()];
    await insert([
      { endpointId: alive, due: -100 },
      { endpointId: alive, due: -300, status: 'FAILED' },
      { endpointId: alive, due: 500, status: 'FAILED' },
      { endpointId: alive, due: -900, isParked: true },
      { endpointId: dead, due: -4_000 },
    ]);
    await kernel.database.query(
      `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, opened_at, probe_at)
       values ($1, $2, now() - interval '50 seconds', now())`,
      [dead, tenantId],
    );
    const scraped = await scrape();
    const of = (name: string, circuit: string) => Math.round(scraped.value(name, { stage: 'delivery', circuit })! / 10);
    expect(scraped.value('kernel_backlog', { stage: 'delivery', circuit: 'closed' })).toBe(2);
    expect(scraped.value('kernel_backlog', { stage: 'delivery', circuit: 'open' })).toBe(1);
    expect(of('kernel_backlog_oldest_age_seconds', 'closed')).toBeGreaterThanOrEqual(30);
    expect(of('kernel_backlog_average_age_seconds', 'closed')).toBeGreaterThanOrEqual(20);
    expect(of('kernel_backlog_average_age_seconds', 'closed')).toBeLessThan(30);
    expect(of('kernel_backlog_oldest_age_seconds', 'open')).toBeGreaterThanOrEqual(400);
    expect(scraped.value('outbox_backlog_gauge', { service })).toBe(6);
    expect(scraped.value('kernel_circuits_open')).toBe(1);
    expect(scraped.value('kernel_circuits_open_oldest_age_seconds')).toBeGreaterThanOrEqual(50);
    expect(scraped.value('kernel_circuit_state', { tenant_id: tenantId, endpoint_id: dead })).toBe(1);
  });

  it('forget a circuit that was closed', async () => {
    await kernel.database.query('delete from kernel_endpoint_circuit');
    const scraped = await scrape();
    expect(scraped.value('kernel_circuits_open')).toBe(0);
    expect(scraped.value('kernel_circuit_state')).toBeUndefined();
  });

  it.each(['is_enabled = false', 'deleted_at = now()'])(
    'leave out the circuit of an endpoint that somebody has dealt with: %s',
    async (change) => {
      const { endpointId } = await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:1', types: ['t.v1'] });
      await kernel.database.query(
        `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, opened_at, probe_at)
         values ($1, $2, now() - interval '50 seconds', now())`,
        [endpointId, tenantId],
      );
      const before = await scrape();
      expect(before.value('kernel_circuits_open')).toBe(1);
      expect(before.value('kernel_circuit_state', { endpoint_id: endpointId })).toBe(1);
      await kernel.database.query(`update kernel_webhook_endpoint set ${change} where endpoint_id = $1`, [endpointId]);
      const after = await scrape();
      expect(after.value('kernel_circuits_open')).toBe(0);
      expect(after.value('kernel_circuits_open_oldest_age_seconds')).toBe(0);
      expect(after.value('kernel_circuit_state')).toBeUndefined();
    },
  );

  it('[ADR-13] count dead letters, and the age of the oldest', async () => {
    const endpointId = randomUUID();
    await insert([
      { endpointId, status: 'DLQ', settledAgo: 7_200 },
      { endpointId, status: 'DLQ', settledAgo: 60 },
      { endpointId, status: 'DELIVERED', settledAgo: 99_999 },
    ]);
    const scraped = await scrape();
    expect(scraped.value('kernel_dead_letters')).toBe(2);
    expect(scraped.value('kernel_dead_letters_oldest_age_seconds')).toBeGreaterThanOrEqual(60);
  });

  it('[ADR-13] leave out the dead letters of an endpoint that was deleted, which nobody can replay', async () => {
    const before = (await scrape()).value('kernel_dead_letters')!;
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:1', types: ['t.v1'] });
    await insert([{ endpointId, status: 'DLQ', settledAgo: 60 }]);
    expect((await scrape()).value('kernel_dead_letters')).toBe(before + 1);
    await kernel.database.query('update kernel_webhook_endpoint set deleted_at = now() where endpoint_id = $1', [
      endpointId,
    ]);
    expect((await scrape()).value('kernel_dead_letters')).toBe(before);
  });

  const addLane = async ({ isSuspect = false, readyAt = 'now()', blockedAt = 'null' }) => {
    const laneId = uuidv7();
    await kernel.database.query(
      `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, is_suspect, ready_at, blocked_by, blocked_at)
       values ($1, $2, $3, $4, 1, $5, ${readyAt}, ${blockedAt === 'null' ? 'null' : '$1'}, ${blockedAt})`,
      [laneId, tenantId, randomUUID(), laneId, isSuspect],
    );
    return laneId;
  };

  it('[ADR-8] count what waits in lanes, as old as their heads, and lanes that are blocked', async () => {
    const inLane = (laneId: string, ...dues: number[]) =>
      insert(dues.map((due, at) => ({ endpointId: randomUUID(), laneId, streamSequence: at + 1, due })));
    // The lane became ready just now, as after every few deliveries; its deliveries have waited for longer.
    await inLane(await addLane({}), -90, -80, -70);
    await inLane(await addLane({}), -10);
    await inLane(await addLane({ readyAt: `now() + interval '1 minute'` }), 60, -500);
    await inLane(await addLane({ readyAt: 'null', blockedAt: `now() - interval '80 seconds'` }), -600);
    await addLane({ readyAt: 'null' });
    const scraped = await scrape();
    const where = { stage: 'lane', circuit: 'closed' };
    expect(scraped.value('kernel_backlog', where)).toBe(4);
    const oldest = scraped.value('kernel_backlog_oldest_age_seconds', where)!;
    const average = scraped.value('kernel_backlog_average_age_seconds', where)!;
    expect(oldest).toBeGreaterThanOrEqual(90);
    expect(oldest).toBeLessThan(500);
    expect(average).toBeGreaterThanOrEqual(62);
    expect(average).toBeLessThan(oldest);
    expect(scraped.value('kernel_lanes_blocked')).toBe(1);
    expect(scraped.value('kernel_lanes_blocked_oldest_age_seconds')).toBeGreaterThanOrEqual(80);
  });

  it('count what runs alone since its worker fell silent, in a lane or not', async () => {
    const where = { stage: 'suspect', circuit: 'closed' };
    expect((await scrape()).value('kernel_backlog', where)).toBe(0);
    const endpointId = randomUUID();
    const before = (await scrape()).value('outbox_backlog_gauge', { service })!;
    await insert([
      { endpointId, isSuspect: true, due: -30 },
      { endpointId, isSuspect: true, due: 30 },
      { endpointId, isSuspect: true, due: -900, isParked: true },
    ]);
    expect((await scrape()).value('kernel_backlog_oldest_age_seconds', where)).toBeGreaterThanOrEqual(30);
    const laneId = await addLane({ isSuspect: true });
    await insert([
      { endpointId, laneId, streamSequence: 1, due: -200, isSuspect: true },
      { endpointId, laneId, streamSequence: 2, due: -100 },
    ]);
    const scraped = await scrape();
    expect(scraped.value('kernel_backlog', where)).toBe(3);
    expect(scraped.value('kernel_backlog_oldest_age_seconds', where)).toBeGreaterThanOrEqual(200);
    expect(scraped.value('kernel_backlog_average_age_seconds', where)).toBeGreaterThanOrEqual(110);
    expect(scraped.value('outbox_backlog_gauge', { service })).toBe(before + 3);
  });

  it('say how many partitions are ahead, that nobody works, and how the tables are', async () => {
    const scraped = await scrape();
    expect(scraped.value('kernel_partitions_ahead')).toBe(3);
    expect(scraped.value('kernel_workers_alive')).toBe(0);
    for (const table of ['kernel_outbox_event', 'kernel_webhook_delivery', 'kernel_ledger_entry']) {
      expect(scraped.value('kernel_table_dead_tuples', { table })).toBeGreaterThanOrEqual(0);
      expect(scraped.value('kernel_table_xmin_age_transactions', { table })).toBeGreaterThan(0);
    }
    expect(scraped.value('kernel_xmin_horizon_age_transactions')).toBeGreaterThanOrEqual(0);
  });

  it('[ADR-12] count the events in the default partition', async () => {
    expect((await scrape()).value('kernel_default_partition_events')).toBe(0);
    const events = [1, 2].map((n) => ({
      ...{ tenantId, type: 't.v1', streamKey: `s:${n}`, traceId: 'trace-0001', eventId: randomUUID() },
    }));
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
    expect((await scrape()).value('kernel_default_partition_events')).toBe(2);
  });

  it('[KER-1] say since when the oldest entry of the ledger waits for its seal, and how long ago all was verified', async () => {
    await kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       values (gen_random_uuid(), 'published', 'trace-0001', 'test', now() - interval '90 seconds')`,
    );
    const before = await scrape();
    expect(before.value('kernel_ledger_unsealed_oldest_age_seconds')).toBeGreaterThanOrEqual(90);
    expect(before.value('kernel_ledger_verified_age_seconds')).toBe(NaN);
    await kernel.app.get(LedgerSealer).seal();
    await kernel.app.get(BackgroundVerifier).look();
    const after = await scrape();
    expect(after.value('kernel_ledger_unsealed_oldest_age_seconds')).toBe(0);
    expect(after.value('kernel_ledger_verified_age_seconds')).toBeGreaterThan(0);
    // The column is not believed: SQL as the app can write it.
    await kernel.database.query(`update kernel_ledger_verification set ended_at = now() + interval '1 day'`);
    expect((await scrape()).value('kernel_ledger_verified_age_seconds')).toBeGreaterThan(0);
    chain.verifiedAt = new Date(Date.now() - 3_600_000).toISOString();
    expect((await scrape()).value('kernel_ledger_verified_age_seconds')).toBeGreaterThanOrEqual(3_600);
  });

  it.each([
    [undefined, NaN],
    [false, 0],
    [true, 1],
  ])('follow who watches the chain of seals: broken %s is %d', async (broken, value) => {
    chain.broken = broken;
    expect((await scrape()).value('kernel_ledger_chain_broken')).toBe(value);
  });

  it("go into the host's registry, which serves it itself", async () => {
    new Counter({ name: 'orders_total', help: 'of the host', registers: [registry] }).inc(7);
    const scraped = await scrape();
    expect([scraped.value('orders_total'), scraped.value('kernel_workers_alive')]).toEqual([7, 0]);
    await request(kernel.app.getHttpServer()).get('/metrics').expect(404);
  });

  it('stay as they were while the database does not answer, and say since when', async () => {
    const before = await scrape();
    const at = (scraped: Scrape) => scraped.value('kernel_gauges_refreshed_timestamp_seconds')!;
    await kernel.database.query('alter table kernel_lane rename to kernel_lane_away');
    const away = await scrape();
    expect(away.value('outbox_events_pending')).toBe(before.value('outbox_events_pending'));
    expect(at(away)).toBe(at(before));
    await kernel.database.query('alter table kernel_lane_away rename to kernel_lane');
    await waitFor(async () => at(await scrape()) > at(before), 'the gauges to be fresh again');
  });

  it('have no value before the first answer, and say that there was none', async () => {
    const own = new Registry();
    const silent = await startKernelApp({
      role: 'api',
      imports: [EventBusMetricsModule.forRoot({ registry: own, route: false })],
    });
    await silent.database.query('alter table kernel_lane rename to kernel_lane_away');
    const scraped = new Scrape(await own.metrics());
    expect(scraped.value('kernel_gauges_refreshed_timestamp_seconds', { service })).toBe(0);
    expect(scraped.value('kernel_workers_alive')).toBeUndefined();
    await silent.database.query('alter table kernel_lane_away rename to kernel_lane');
    await silent.close();
  });
});
