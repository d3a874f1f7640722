import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { sql, type Kysely } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimDeliveries } from '../../src/worker/claim/claim-due.sql.js';

const tenantId = randomUUID();
const circuit = { failures: 3, probeMs: 30, maxProbeMs: 60 };

async function publish(kernel: KernelApp, type: string, count: number): Promise<void> {
  await kernel.em.fork().transactional((em) =>
    kernel.outbox.publishAll(
      Array.from({ length: count }, (_, n) => ({ tenantId, type, streamKey: `s:${n}`, traceId: 'trace-0001' })),
      { em },
    ),
  );
}

describe('the circuit of an endpoint', () => {
  it("opens after failures in a row, keeps the backlog at no attempt's cost, probes, and closes at the first answer", async () => {
    const kernel = await startKernelApp({
      circuit,
      concurrency: 4,
      retry: { maxAttempts: 50, initialDelayMs: 5, maxDelayMs: 5 },
    });
    const receiver = await WebhookReceiver.start();
    receiver.otherwise(503);
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await publish(kernel, 't.v1', 30);
    await waitFor(
      async () => (await kernel.database.query('select 1 from kernel_endpoint_circuit where probes >= 2')).length === 1,
      'the circuit to be open and probed twice',
    );
    const untouched = await kernel.database.query<{ n: number }>(
      `select count(*)::int as n from kernel_webhook_delivery where status = 'PENDING' and attempts = 0`,
    );
    expect(untouched[0]!.n).toBeGreaterThan(0);

    receiver.otherwise(204);
    await waitFor(
      async () =>
        (await kernel.database.query(`select 1 from kernel_webhook_delivery where status = 'DELIVERED'`)).length === 30,
      'all to be delivered',
    );
    expect(await kernel.database.query('select 1 from kernel_endpoint_circuit')).toEqual([]);
    await kernel.close();
    await receiver.stop();
  });

  it('lets a healthy endpoint go on beside a dead one, ordered or not', async () => {
    const kernel = await startKernelApp({
      circuit: { ...circuit, probeMs: 600_000 },
      concurrency: 4,
      retry: { maxAttempts: 50, initialDelayMs: 5, maxDelayMs: 5 },
    });
    const [dead, healthy] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    dead.otherwise(500);
    await kernel.addEndpoint({ tenantId, url: dead.url, types: ['dead.v1'] });
    await kernel.addEndpoint({ tenantId, url: dead.url, types: ['dead.v1'], ordering: 'stream' });
    await kernel.addEndpoint({ tenantId, url: healthy.url, types: ['healthy.v1'] });
    await kernel.addEndpoint({ tenantId, url: healthy.url, types: ['healthy.v1'], ordering: 'stream' });
    await publish(kernel, 'dead.v1', 50);
    await publish(kernel, 'healthy.v1', 20);
    await healthy.receives(40);
    await waitFor(
      async () => (await kernel.database.query('select 1 from kernel_endpoint_circuit')).length === 2,
      'both circuits to be open',
    );
    await kernel.close();
    await Promise.all([dead.stop(), healthy.stop()]);
  });
});

/** Rows of deliveries that this connection has read recently, with or without an index. */
async function readsSoFar(trx: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select (coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int as reads
    from pg_stat_xact_user_tables where relname = 'kernel_webhook_delivery'
  `.execute(trx);
  return rows[0]?.reads ?? 0;
}

describe('a claim', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  const seed = async (
    endpointId: string,
    tenant: string,
    count: number,
    status: 'PENDING' | 'FAILED' = 'PENDING',
    due = '-1 minute',
  ) => {
    await kernel.database.query(
      `with event as (
         insert into kernel_outbox_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
         select gen_random_uuid(), $2, 's', 't.v1', now(), 'trace-0001', '{}', '', 'PUBLISHED' from generate_series(1, $3) returning event_id
       )
       insert into kernel_webhook_delivery
         (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, next_attempt_at, dispatched_at, attempts)
       select gen_random_uuid(), $2, $1, event_id, 't.v1', $4, 'trace-0001', now() + $5::interval, now(), ($4 = 'FAILED')::int from event`,
      [endpointId, tenant, count, status, due],
    );
  };
  const endpoint = (tenant: string, maxInFlight?: number) =>
    kernel.addEndpoint({ tenantId: tenant, url: 'http://127.0.0.1:9/hook', types: ['t.v1'], maxInFlight });
  const claim = (limit = 60, perEndpoint = 1_000, db: Kysely<unknown> = kernel.em.fork().getKysely<unknown>()) =>
    claimDeliveries(db, {
      limit,
      perEndpoint,
      prefetch: 1,
      workerId: 'w',
      leaseMs: 0,
      probeMs: 1_000,
      exceptTenantIds: [],
      perTenant: 1_000,
      held: { endpointIds: [], counts: [] },
      endpoints: new EndpointCache(),
    });
  const countBy = <T>(items: T[], key: (item: T) => string) =>
    items.reduce<Record<string, number>>(
      (counts, item) => ({ ...counts, [key(item)]: (counts[key(item)] ?? 0) + 1 }),
      {},
    );
  beforeEach(() => kernel.database.query('delete from kernel_webhook_delivery'));

  it('gives tenants equal shares, however much each has waiting', async () => {
    const tenants = [randomUUID(), randomUUID(), randomUUID()];
    const backlogs = [1_000, 40, 5];
    for (const [n, tenant] of tenants.entries()) {
      const { endpointId } = await endpoint(tenant);
      await seed(endpointId, tenant, backlogs[n]!);
    }
    const shares = countBy(await claim(), (delivery) => delivery.tenantId);
    expect(shares[tenants[0]!]).toBeLessThanOrEqual(20);
    expect(shares[tenants[1]!]).toBeGreaterThanOrEqual(15);
    expect(shares[tenants[2]!]).toBe(5);
  });

  it("keeps to an endpoint's own limit", async () => {
    const tenant = randomUUID();
    const [limited, free] = [await endpoint(tenant, 3), await endpoint(tenant)];
    await seed(limited.endpointId, tenant, 100);
    await seed(free.endpointId, tenant, 100);
    const shares = countBy(await claim(), (delivery) => delivery.endpointId);
    expect(shares[limited.endpointId]).toBeLessThanOrEqual(3);
    expect(shares[free.endpointId]).toBeGreaterThan(3);
  });

  it('takes first attempts although older retries wait, and retries although first attempts wait', async () => {
    const tenant = randomUUID();
    const { endpointId } = await endpoint(tenant);
    await seed(endpointId, tenant, 500, 'FAILED', '-1 hour');
    await seed(endpointId, tenant, 500, 'PENDING', '-1 second');
    const kinds = countBy(await claim(), (delivery) => (delivery.attempts > 0 ? 'retry' : 'first'));
    expect(kinds.first).toBeGreaterThan(kinds.retry!);
    expect(kinds.retry).toBeGreaterThan(0);
  });

  it('reads at most a few times its batch while 50,000 deliveries of a dead endpoint wait', async () => {
    const tenant = randomUUID();
    const [dead, healthy] = [await endpoint(tenant), await endpoint(tenant)];
    await seed(dead.endpointId, tenant, 50_000, 'FAILED', '-1 hour');
    await seed(healthy.endpointId, tenant, 200);
    await kernel.database.query(
      `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at) values ($1, $2, now() + interval '1 hour')`,
      [dead.endpointId, tenant],
    );
    await kernel.database.query('vacuum analyze kernel_webhook_delivery');
    const { claimed, reads } = await kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute(async (trx) => {
        const before = await readsSoFar(trx);
        const claimed = await claim(60, 1_000, trx);
        return { claimed, reads: (await readsSoFar(trx)) - before };
      });
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.every((delivery) => delivery.endpointId === healthy.endpointId)).toBe(true);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(60 * 6);
  });

  it('reads no more when its plan comes from a time when the table was empty', async () => {
    const tenant = randomUUID();
    const [dead, healthy] = [await endpoint(tenant), await endpoint(tenant)];
    await kernel.database.query('vacuum analyze kernel_webhook_delivery');
    const { claimed, reads } = await kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute(async (trx) => {
        expect(await claim(60, 1_000, trx)).toEqual([]);
        await seed(dead.endpointId, tenant, 20_000, 'FAILED', '-1 hour');
        await seed(healthy.endpointId, tenant, 200, 'PENDING', '-1 hour');
        await kernel.database.query(
          `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at) values ($1, $2, now() + interval '1 hour')`,
          [dead.endpointId, tenant],
        );
        const before = await readsSoFar(trx);
        // Due times are compared with the start of the transaction, which is before the rows are seeded.
        const claimed = await claim(60, 1_000, trx);
        return { claimed, reads: (await readsSoFar(trx)) - before };
      });
    expect(claimed.length).toBeGreaterThan(0);
    expect(claimed.every((delivery) => delivery.endpointId === healthy.endpointId)).toBe(true);
    expect(reads).toBeLessThan(60 * 6);
  });
});
