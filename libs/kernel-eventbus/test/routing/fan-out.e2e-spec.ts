import { randomUUID } from 'node:crypto';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Slots } from '../../src/worker/slots.js';
import { Router } from '../../src/routing/router.js';

const NOWHERE = 'http://127.0.0.1:9/hook';

describe.each<'promptly' | 'in turn'>(['promptly', 'in turn'])('fan-out, %s', (way) => {
  let kernel: KernelApp;
  let tenantId: string;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());
  beforeEach(async () => {
    tenantId = randomUUID();
    await leadTo[way]();
  });

  const routeOne = async () => expect((await kernel.app.get(Router).routeBatch(room(), { limit: 1 })).routed).toBe(1);
  const leadTo = {
    // An empty batch: nothing waits.
    promptly: async () => expect((await kernel.app.get(Router).routeBatch(room())).routed).toBe(0),
    // A full batch: the router assumes that more events wait.
    'in turn': async () => {
      await publish('nobody.hears.this.v1');
      await routeOne();
    },
  };

  const publish = (type: string, count = 1, tenant = tenantId) =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId: tenant,
          type,
          streamKey: `s:${n}`,
          traceId: 'trace-0001',
          payload: { n, text: 'a "quoted" é' },
          attributes: { batch: n },
        })),
        { em },
      ),
    );
  const endpoint = (options: { maxInFlight?: number; ordering?: 'stream'; type?: string } = {}) =>
    kernel.addEndpoint({ tenantId, url: NOWHERE, types: [options.type ?? 't.v1'], ...options });
  const room = (total = 100, perEndpoint = 100) => new Slots({ total, perEndpoint, prefetch: 1 }).reserve(total);
  const rowsOf = () =>
    kernel.database.query<{
      delivery_id: string;
      endpoint_id: string;
      leased_by: string | null;
      lease_epoch: number;
    }>('select * from kernel_webhook_delivery where tenant_id = $1 order by delivery_id', [tenantId]);

  it('hands each event to all its endpoints, with all that an attempt needs, under a lease', async () => {
    const [first, second] = [await endpoint(), await endpoint()];
    const [event] = await publish('t.v1');
    const { routed, leased, queued } = await kernel.app.get(Router).routeBatch(room());
    expect({ routed, queued }).toEqual({ routed: 1, queued: 0 });
    expect(leased.map(({ endpointId }) => endpointId).sort()).toEqual([first.endpointId, second.endpointId].sort());
    const rows = await rowsOf();
    for (const delivery of leased) {
      const endpoint = expect.objectContaining({ url: NOWHERE });
      expect(delivery).toMatchObject({ eventId: event!.eventId, tenantId, endpoint, leaseEpoch: 1, attempts: 0 });
      expect(JSON.parse(delivery.payloadJson)).toEqual({ n: 0, text: 'a "quoted" é' });
      expect(JSON.parse(delivery.attributesJson)).toEqual({ batch: 0 });
      const row = rows.find(({ delivery_id }) => delivery_id === delivery.deliveryId);
      expect(row).toMatchObject({ endpoint_id: delivery.endpointId, lease_epoch: 1, leased_by: expect.any(String) });
    }
  });

  it('hands them over while their rows are being written', async () => {
    await endpoint();
    await publish('t.v1');
    const order: string[] = [];
    await kernel.app.get(Router).routeBatch(room(), {
      begin: (deliveries, written) => {
        if (deliveries.length > 0) {
          order.push(`${deliveries.length} handed over`);
          void written.then(() => order.push('written'));
          void Promise.resolve()
            .then(() => undefined)
            .then(() => order.push('a moment later'));
        }
      },
    });
    expect(order).toEqual(['1 handed over', 'a moment later', 'written']);
  });

  it('hands a batch of many deliveries over when its rows are written', async () => {
    await endpoint();
    await publish('t.v1', 70);
    for (let routed = 1; routed > 0;) {
      const begun: { count: number; isWritten: Promise<boolean> }[] = [];
      const batch = await kernel.app.get(Router).routeBatch(room(), {
        begin: (deliveries, written) =>
          begun.push({
            count: deliveries.length,
            isWritten: Promise.race([written.then(() => true), new Promise<false>((end) => setImmediate(end, false))]),
          }),
      });
      const early = await Promise.all(begun.map(async ({ count, isWritten }) => ((await isWritten) ? 0 : count)));
      if (batch.leased.length > 64) {
        expect(Math.max(...early)).toBe(0);
      }
      routed = batch.routed;
    }
    expect(await rowsOf()).toHaveLength(70);
  });

  it('[KER-T] gives no event to an endpoint of all tenants that is no handler', async () => {
    await kernel.database.query(
      'alter table kernel_webhook_endpoint drop constraint if exists kernel_webhook_endpoint_all_tenants_check',
    );
    const mine = await endpoint();
    await kernel.addEndpoint({ tenantId: '00000000-0000-0000-0000-000000000000', url: NOWHERE, types: ['t.v1'] });
    await publish('t.v1');
    expect((await kernel.app.get(Router).routeBatch(room())).routed).toBe(1);
    expect((await rowsOf()).map((row) => row.endpoint_id)).toEqual([mine.endpointId]);
  });

  it("leases no more than the worker has places for, in all and per endpoint's limit; the rest waits in the queue", async () => {
    const [limited, free] = [await endpoint({ maxInFlight: 2 }), await endpoint()];
    await publish('t.v1', 5);
    const { leased, queued } = await kernel.app.get(Router).routeBatch(room(6));
    const of = (id: string) => leased.filter(({ endpointId }) => endpointId === id).length;
    expect(of(limited.endpointId)).toBeLessThanOrEqual(2);
    expect(leased.length).toBeLessThanOrEqual(6);
    expect(leased.length).toBeGreaterThan(2);
    expect(leased.length + queued).toBe(10);
    const unleased = (await rowsOf()).filter(({ leased_by }) => leased_by === null);
    expect(unleased).toHaveLength(queued);
    expect(of(free.endpointId)).toBeGreaterThan(0);
  });

  it("two batches at once keep within an endpoint's limit together", async () => {
    await endpoint({ maxInFlight: 1 });
    await publish('t.v1', 40);
    const slots = new Slots({ total: 64, perEndpoint: 32, prefetch: 8 });
    const batches = await Promise.all(
      [1, 2].map(() => kernel.app.get(Router).routeBatch(slots.reserve(20), { limit: 20 })),
    );
    expect(batches.reduce((sum, { routed }) => sum + routed, 0)).toBe(40);
    const leased = batches.reduce((sum, { leased }) => sum + leased.length, 0);
    expect(leased).toBeGreaterThan(0);
    expect(leased).toBeLessThanOrEqual(8);
  });

  it('leases nothing to an endpoint whose circuit is open', async () => {
    const { endpointId } = await endpoint();
    await kernel.database.query(
      'insert into kernel_endpoint_circuit (endpoint_id, tenant_id, opened_at, probe_at) values ($1, $2, now(), now())',
      [endpointId, tenantId],
    );
    await publish('t.v1', 3);
    expect(await kernel.app.get(Router).routeBatch(room())).toEqual({ routed: 3, leased: [], queued: 3 });
  });

  it('puts ordered deliveries into lanes, and leaves the others of the same batch as they are', async () => {
    await endpoint({ type: 'plain.v1' });
    await endpoint({ type: 'ordered.v1', ordering: 'stream' });
    await publish('plain.v1', 3);
    await publish('ordered.v1', 3);
    let routed = 0;
    for (let batch; (batch = await kernel.app.get(Router).routeBatch(room())).routed > 0;) {
      routed += batch.routed;
    }
    expect(routed).toBe(6);
    const rows = await kernel.database.query<{ event_type: string; in_lane: boolean }>(
      'select event_type, lane_id is not null as in_lane from kernel_webhook_delivery where tenant_id = $1',
      [tenantId],
    );
    expect(rows.filter(({ event_type }) => event_type === 'plain.v1').map(({ in_lane }) => in_lane)).toEqual(
      Array(3).fill(false),
    );
    expect(rows.filter(({ event_type }) => event_type === 'ordered.v1').map(({ in_lane }) => in_lane)).toEqual(
      Array(3).fill(true),
    );
  });
});
