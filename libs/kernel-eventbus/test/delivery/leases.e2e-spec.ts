import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimDeliveries } from '../../src/worker/claim/claim-due.sql.js';
import { parkDelivery } from '../../src/deliveries/parking.sql.js';
import { recordOutcomes } from '../../src/deliveries/outcomes.sql.js';
import { AttemptRecorder } from '../../src/worker/attempt-recorder.js';
import { abandonDelivery, settleAttempt } from '../../src/worker/conclude-attempt.js';
import { Router } from '../../src/routing/router.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';
import { NO_ROOM } from '../routing/no-room.js';

const NOWHERE = 'http://127.0.0.1:9/hook';
const tenantId = randomUUID();

async function publish(kernel: KernelApp, count: number): Promise<void> {
  await kernel.em.fork().transactional((em) =>
    kernel.outbox.publishAll(
      Array.from({ length: count }, (_, n) => ({ tenantId, type: 't.v1', streamKey: `s:${n}`, traceId: 'trace-0001' })),
      { em },
    ),
  );
}

describe('leases', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
  });
  afterEach(() => kernel.close());

  const db = () => kernel.em.fork().getKysely<unknown>();
  const claim = (workerId: string, { limit = 10, leaseMs = 60_000 } = {}) =>
    claimDeliveries(db(), {
      limit,
      leaseMs,
      workerId,
      perEndpoint: 1_000,
      prefetch: 1,
      probeMs: 1_000,
      exceptTenantIds: [],
      perTenant: 1_000,
      held: { endpointIds: [], counts: [] },
      endpoints: new EndpointCache(),
    });
  const route = async (count: number) => {
    await publish(kernel, count);
    while ((await kernel.app.get(Router).routeBatch(NO_ROOM)).routed > 0);
  };
  const delivered = (delivery: Awaited<ReturnType<typeof claim>>[number]) =>
    settleAttempt(
      delivery,
      { kind: 'delivered', statusCode: 204 },
      {
        bodySha256: '0'.repeat(64),
        redaction: { policyId: null, policyVersion: null, removedPaths: null },
        handoff: null,
        latencyMs: 1,
        responseExcerpt: null,
      },
    );

  it('[ADR-1] [KFM-3] [KFM-6] gives a delivery to one worker only, however many claim at once', async () => {
    await route(100);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => claim(`worker-${n}`, { limit: 20 })));
    const ids = claims.flat().map((delivery) => delivery.deliveryId);
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
    expect(await claim('late-worker')).toEqual([]);
  });

  it('gives a delivery to another worker when the lease has run out, under a new epoch', async () => {
    await route(1);
    const [first] = await claim('worker-a', { leaseMs: 0 });
    const [second] = await claim('worker-b');
    expect(second).toMatchObject({ deliveryId: first!.deliveryId, leaseEpoch: first!.leaseEpoch + 1 });
  });

  it('refuses the state of a worker whose lease was taken over, and keeps the fact of its attempt', async () => {
    await route(1);
    const [stale] = await claim(kernel.app.get(WorkerIdentity).id, { leaseMs: 0 });
    const [current] = await claim('worker-b');
    expect(await kernel.app.get(AttemptRecorder).record(delivered(stale!))).toBe(false);
    expect(await kernel.database.query('select status, attempts, leased_by from kernel_webhook_delivery')).toEqual([
      { status: 'PENDING', attempts: 0, leased_by: 'worker-b' },
    ]);
    expect(await recordOutcomes(kernel.em, [delivered(current!)], 'worker-b')).toEqual({
      changedIds: [current!.deliveryId],
      hasReadyLane: false,
    });
    const readAttempts = () =>
      kernel.database.query(
        'select kind, conclusion from kernel_ledger_entry where delivery_id is not null order by conclusion',
      );
    // The late attempt is written to the ledger after the recorder has returned.
    await waitFor(async () => (await readAttempts()).length >= 2, 'the late attempt to be noted');
    expect(await readAttempts()).toEqual([
      { kind: 'attempt', conclusion: 'delivered' },
      { kind: 'attempt', conclusion: null },
    ]);
  });

  it('notes a delivery that is dead-lettered without an attempt as an entry of its own', async () => {
    await route(1);
    const [delivery] = await claim('worker-a');
    await recordOutcomes(kernel.em, [abandonDelivery(delivery!, 'poison')], 'worker-a');
    expect(
      await kernel.database.query(
        'select kind, conclusion, attempt, reason from kernel_ledger_entry where delivery_id is not null',
      ),
    ).toEqual([{ kind: 'dead-lettered', conclusion: null, attempt: null, reason: 'poison' }]);
  });

  it("claims what is due by the database's clock only, oldest first", async () => {
    await route(4);
    await kernel.database.query(`update kernel_webhook_delivery set next_attempt_at = now() + interval '1 hour'`);
    const due = await kernel.database.query<{ delivery_id: string }>(
      `update kernel_webhook_delivery d set next_attempt_at = now() - place * interval '1 minute'
       from (select delivery_id, row_number() over (order by delivery_id) as place from kernel_webhook_delivery limit 3) o
       where o.delivery_id = d.delivery_id returning d.delivery_id, place`,
    );
    const claimed = [];
    for (let n = 0; n < 3; n++) {
      claimed.push(...(await claim(`worker-${n}`, { limit: 1 })));
    }
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual(
      due
        .map((row) => row.delivery_id)
        .sort()
        .reverse(),
    );
    expect(await claim('late-worker')).toEqual([]);
  });

  it('ends, and does not park, what was claimed for an endpoint that was disabled and then deleted', async () => {
    await route(1);
    await kernel.database.query('update kernel_webhook_endpoint set is_enabled = false');
    const [delivery] = await claim('worker-a');
    // The deletion skips deliveries that are being claimed at that moment.
    await kernel.database.query('update kernel_webhook_endpoint set deleted_at = now()');
    await parkDelivery(db(), delivery!, 'worker-a');
    expect(await claim('worker-b')).toMatchObject([
      { deliveryId: delivery!.deliveryId, endpoint: expect.objectContaining({ isDeleted: true }) },
    ]);
  });
});

describe('with a receiver that holds its answers back', () => {
  let server: Server;
  let waiting: number;
  let answer: () => void;
  beforeEach(async () => {
    waiting = 0;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    server = createServer((request, response) => {
      request.resume();
      waiting++;
      void answered.then(() => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;

  async function startWithHangingReceiver(shutdownTimeoutMs: number) {
    const keeper = await startKernelApp({ role: 'api' });
    const worker = await startKernelApp({ database: keeper.database, shutdownTimeoutMs });
    await worker.addEndpoint({ tenantId, url: url(), types: ['t.v1'] });
    await publish(worker, 3);
    await waitFor(() => waiting === 3, 'three requests to be in flight');
    return { keeper, worker };
  }
  const states = (kernel: KernelApp) =>
    kernel.database.query<{ status: string; attempts: number; leased: boolean }>(
      'select status, attempts, lease_until is not null as leased from kernel_webhook_delivery',
    );

  it.each(['none', 'stream'])(
    'prolongs the leases of what is in flight and of what waits behind it (ordering: %s)',
    async (ordering) => {
      const worker = await startKernelApp({ leaseMs: 1_000, timeoutMs: 60_000 });
      await worker.addEndpoint({ tenantId, url: url(), types: ['t.v1'] });
      await worker.database.query(`update kernel_webhook_endpoint set ordering = '${ordering}', max_in_flight = 1`);
      await worker.em.fork().transactional((em) => {
        const event = { tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001' };
        return worker.outbox.publishAll([event, event], { em });
      });
      await waitFor(() => waiting === 1, 'the first request to be in flight');
      const held = () =>
        worker.database.query<{ prolonged: boolean }>(
          `select lease_until > created_at + interval '3 seconds' as prolonged from kernel_webhook_delivery`,
        );
      await waitFor(
        async () => (await held()).filter(({ prolonged }) => prolonged).length === 2,
        'both leases to live longer than they were given',
      );
      answer();
      await waitFor(
        async () => (await states(worker)).every(({ status }) => status === 'DELIVERED'),
        'both to be delivered',
      );
      expect(waiting).toBe(2);
      expect(await states(worker)).toEqual(Array(2).fill({ status: 'DELIVERED', attempts: 1, leased: false }));
      await worker.close();
    },
  );

  it('waits for what is in flight and records it', async () => {
    const { keeper, worker } = await startWithHangingReceiver(60_000);
    const closed = worker.close();
    answer();
    await closed;
    expect(await states(keeper)).toEqual(Array(3).fill({ status: 'DELIVERED', attempts: 1, leased: false }));
    await keeper.close();
  });

  it('gives back what does not end in time, without using up an attempt', async () => {
    const { keeper, worker } = await startWithHangingReceiver(50);
    await worker.close();
    expect(await states(keeper)).toEqual(Array(3).fill({ status: 'PENDING', attempts: 0, leased: false }));
    await keeper.close();
  });
});

describe('roles', () => {
  it('an api process leaves routing and delivery to the workers of other processes', async () => {
    const receiver = await WebhookReceiver.start();
    const keeper = await startKernelApp({ role: 'api' });
    const api = await startKernelApp({ role: 'api', database: keeper.database });
    await api.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await publish(api, 1);
    await api.close();
    const states = () => keeper.database.query<{ status: string }>('select status from kernel_outbox_event');
    expect(await states()).toEqual([{ status: 'PENDING' }]);
    const worker = await startKernelApp({ role: 'worker', database: keeper.database });
    await receiver.receives(1);
    await waitFor(async () => (await states()).every(({ status }) => status === 'PUBLISHED'), 'the event to be routed');
    expect(await states()).toHaveLength(1);
    await worker.close();
    await keeper.close();
    await receiver.stop();
  });
});
