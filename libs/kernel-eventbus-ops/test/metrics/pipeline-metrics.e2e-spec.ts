import { randomUUID } from 'node:crypto';
import { EventBusMetricsModule } from '../../src/metrics/eventbus-metrics.module.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Scrape } from '@kernel/test-support/scrape';
import { OperationService } from '@kernel/eventbus/engine';

const tenantId = randomUUID();
const service = 'test-service';
const LONG_AGO = new Date(Date.now() - 3_600_000).toISOString();

describe('what the pipeline counts', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  let scraped: Scrape;
  const scrape = async () => new Scrape((await request(kernel.app.getHttpServer()).get('/metrics').expect(200)).text);

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({
      operations: { pauseMs: 20 },
      imports: [EventBusMetricsModule.forRoot({ service, refreshIntervalMs: 1, maxLabelValues: 3 })],
    });
    for (const type of ['taken.v1', 'refused.v1', 'late.v1', 'fourth.v1']) {
      await kernel.addEndpoint({ tenantId, url: receiver.url, types: [type] });
    }
    await publishAndSettle('taken.v1', 'taken.v1');
    receiver.answers(500);
    await publishAndSettle('late.v1');
    receiver.answers(400);
    await publishAndSettle('refused.v1');
    await publishAndSettle('fourth.v1');
    await rollBack();
    scraped = await scrape();
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const toEvent = (type: string) => ({ tenantId, type, streamKey: `s:${type}`, traceId: 'trace-0001' });

  async function publishAndSettle(...types: string[]): Promise<void> {
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll(types.map(toEvent), { em }));
    await waitFor(
      async () =>
        (await kernel.database.query(`select from kernel_outbox_event where status = 'PENDING'`)).length +
          (await kernel.database.query(`select from kernel_webhook_delivery where status in ('PENDING', 'FAILED')`))
            .length ===
        0,
      'everything to be settled',
    );
  }

  const receipts = (of: Scrape) => {
    const count = (path: string) => of.value('kernel_end_to_end_latency_seconds_count', { path }) ?? 0;
    return { first: count('first'), later: count('later') };
  };

  /** The endpoint whose delivery was refused, or a new one that has missed all events. */
  async function endpointFor(kind: 'recover' | 'replay-missing'): Promise<string> {
    if (kind === 'replay-missing') {
      const types = ['taken.v1', 'refused.v1', 'late.v1', 'fourth.v1'];
      return (await kernel.addEndpoint({ tenantId, url: receiver.url, types })).endpointId;
    }
    const [dead] = await kernel.database.query<{ endpoint_id: string }>(
      `select endpoint_id from kernel_webhook_delivery where status = 'DLQ'`,
    );
    return dead!.endpoint_id;
  }

  async function rollBack(): Promise<void> {
    const failing = kernel.em.fork().transactional(async (em) => {
      await kernel.outbox.publish(toEvent('rolled-back.v1'), { em });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  }

  it.each([
    ['outbox_publish_attempts_total', 6],
    ['outbox_published_total', 4],
    ['outbox_retry_total', 1],
    ['outbox_failed_permanent_total', 1],
    ['outbox_publish_latency_seconds_count', 5],
  ])('[ADR-7] %s, by service', (name, value) => {
    expect(scraped.value(name, { service })).toBe(value);
  });

  it('[AC11] counts committed events by type, and none that was rolled back', () => {
    expect(scraped.value('outbox_events_created_total', { event_type: 'taken.v1' })).toBe(2);
    expect(scraped.value('outbox_events_created_total', { event_type: 'rolled-back.v1' })).toBeUndefined();
    // One write per transaction, however many events.
    expect(scraped.value('outbox_publish_duration_seconds_count')).toBe(4);
  });

  it('has no more labels than it is told: types that come later share one', () => {
    expect(scraped.value('outbox_events_created_total', { event_type: 'fourth.v1' })).toBeUndefined();
    expect(scraped.value('outbox_events_created_total', { event_type: 'other' })).toBe(1);
  });

  it('tells deliveries apart by outcome, error class and dispatcher', () => {
    const value = (outcome: string, error_class: string) =>
      scraped.value('kernel_deliveries_total', { outcome, error_class, dispatcher: 'http' });
    expect(value('delivered', 'none')).toBe(4);
    expect(value('retry', 'http_5xx')).toBe(1);
    expect(value('dead_letter', 'http_4xx')).toBe(1);
  });

  it('measures attempts, and the way from the commit to the receipt', () => {
    const attempts = (outcome: string) => scraped.value('kernel_attempt_duration_seconds_count', { outcome });
    expect([attempts('delivered'), attempts('retry'), attempts('dead_letter')]).toEqual([4, 1, 1]);
    expect(receipts(scraped)).toEqual({ first: 3, later: 1 });
    expect(scraped.value('kernel_end_to_end_latency_seconds_sum', { path: 'first' })).toBeGreaterThan(0);
  });

  it('[ADR-8] has buckets on both sides of the 30 s that an alert asks for', () => {
    const edges = scraped.samples
      .filter(({ name }) => name === 'outbox_publish_latency_seconds_bucket')
      .map(({ labels }) => Number(labels.le!.replace('+Inf', 'Infinity')));
    expect(edges).toContain(30);
    expect(edges.filter((edge) => edge > 30 && edge < Infinity).length).toBeGreaterThan(2);
  });

  it('names neither tenant nor endpoint', async () => {
    const ids = await kernel.database.query<{ endpoint_id: string }>('select endpoint_id from kernel_webhook_endpoint');
    expect(ids).toHaveLength(4);
    [tenantId, ...ids.map(({ endpoint_id }) => endpoint_id)].forEach((id) => expect(scraped.text).not.toContain(id));
  });

  it('says that a worker lives, what it holds, and how late its timers are', async () => {
    await waitFor(
      async () => (await scrape()).value('kernel_leases', { kind: 'delivery' }) === 0,
      'nothing to be held',
    );
    const now = await scrape();
    expect(now.value('kernel_workers_alive')).toBe(1);
    const lag = (of: string) => now.value(`kernel_event_loop_lag_${of}_seconds`)!;
    expect(lag('p50')).toBeGreaterThanOrEqual(0);
    expect(lag('p99')).toBeGreaterThanOrEqual(lag('p50'));
    expect(lag('max')).toBeGreaterThanOrEqual(lag('p99'));
  });

  it('counts a worker that fell silent', async () => {
    expect(scraped.value('kernel_workers_lost_total')).toBe(0);
    await kernel.database.query(
      `insert into kernel_worker (worker_id, heartbeat_at) values ('silent', now() - interval '1 hour')`,
    );
    await waitFor(async () => (await scrape()).value('kernel_workers_lost_total') === 1, 'it to be missed');
  });

  it.each([
    ['replayed', { kind: 'replay', filter: { type: 'taken.v1' } }, 2],
    ['recovered', { kind: 'recover', filter: { since: LONG_AGO } }, 1],
    ['routed late', { kind: 'replay-missing', filter: { since: LONG_AGO } }, 5],
  ] as const)('does not take the way of what is %s for the first one', async (_what, { kind, filter }, count) => {
    const before = receipts(await scrape());
    const endpointId = kind === 'replay' ? undefined : await endpointFor(kind);
    const by = { actor: 'a test', reason: 'to see', traceId: 'trace-0001' };
    const order = { kind, filter, tenantId, endpointId, ...by };
    expect(await kernel.app.get(OperationService).start(order)).toMatchObject({ kind: 'started', total: count });
    const after = await waitFor(async () => {
      const now = receipts(await scrape());
      return now.later === before.later + count && now;
    }, `${count} more receipts`);
    expect(after.first).toBe(before.first);
  });
});
