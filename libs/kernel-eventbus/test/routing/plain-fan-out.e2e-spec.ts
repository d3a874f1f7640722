import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import { Slots } from '../../src/delivery/slots.js';
import { Router } from '../../src/routing/router.js';
import { executeAlone } from '../../src/runtime/prepared.js';
import { readThenWrite } from '../../src/runtime/read-then-write.js';

const NOWHERE = 'http://127.0.0.1:9/hook';

describe.each<'promptly' | 'in turn' | 'one by one'>(['promptly', 'in turn', 'one by one'])('fan-out, %s', (way) => {
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

  const routeOne = async () => expect((await kernel.app.get(Router).routeBatch(room(), 1)).routed).toBe(1);
  const leadTo = {
    // An empty batch: nothing waits.
    promptly: async () => expect((await kernel.app.get(Router).routeBatch(room())).routed).toBe(0),
    // A full batch: the router takes it that more waits.
    'in turn': async () => {
      await publish('nobody.hears.this.v1');
      await routeOne();
    },
    // Somebody wants order: then each event is judged for a while.
    'one by one': async () => {
      await endpoint({ type: 'order.is.wanted.v1', ordering: 'stream' });
      await publish('order.is.wanted.v1');
      await routeOne();
      await kernel.database.query('delete from kernel_webhook_delivery where tenant_id = $1', [tenantId]);
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
    const { routed, handedOff, queued } = await kernel.app.get(Router).routeBatch(room());
    expect({ routed, queued }).toEqual({ routed: 1, queued: 0 });
    expect(handedOff.map(({ endpointId }) => endpointId).sort()).toEqual([first.endpointId, second.endpointId].sort());
    const rows = await rowsOf();
    for (const delivery of handedOff) {
      expect(delivery).toMatchObject({ eventId: event!.eventId, tenantId, url: NOWHERE, leaseEpoch: 1, attempts: 0 });
      expect(JSON.parse(delivery.payloadJson)).toEqual({ n: 0, text: 'a "quoted" é' });
      expect(JSON.parse(delivery.attributesJson)).toEqual({ batch: 0 });
      const row = rows.find(({ delivery_id }) => delivery_id === delivery.deliveryId);
      expect(row).toMatchObject({ endpoint_id: delivery.endpointId, lease_epoch: 1, leased_by: expect.any(String) });
    }
  });

  it(`hands them over ${way === 'one by one' ? 'when' : 'before'} their rows are written`, async () => {
    await endpoint();
    await publish('t.v1');
    const order: string[] = [];
    const batch = await kernel.app.get(Router).routeBatch(room(), undefined, undefined, (deliveries, writing) => {
      const { written, outcomes } = writing;
      deliveries.forEach((delivery) => void outcomes?.giveUp(delivery));
      order.push(`${deliveries.length} handed over`);
      void written.then(() => order.push('written'));
      void Promise.resolve()
        .then(() => undefined)
        .then(() => order.push('a moment later'));
    });
    await batch.written;
    const then = ['written', 'a moment later'];
    expect(order).toEqual(['1 handed over', ...(way === 'one by one' ? then : then.toReversed())]);
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
    const { handedOff, queued } = await kernel.app.get(Router).routeBatch(room(6));
    const of = (id: string) => handedOff.filter(({ endpointId }) => endpointId === id).length;
    expect(of(limited.endpointId)).toBeLessThanOrEqual(2);
    expect(handedOff.length).toBeLessThanOrEqual(6);
    expect(handedOff.length).toBeGreaterThan(2);
    expect(handedOff.length + queued).toBe(10);
    const unleased = (await rowsOf()).filter(({ leased_by }) => leased_by === null);
    expect(unleased).toHaveLength(queued);
    expect(of(free.endpointId)).toBeGreaterThan(0);
  });

  it("two batches at once keep within an endpoint's limit together", async () => {
    await endpoint({ maxInFlight: 1 });
    await publish('t.v1', 40);
    const slots = new Slots({ total: 64, perEndpoint: 32, prefetch: 8 });
    const batches = await Promise.all([1, 2].map(() => kernel.app.get(Router).routeBatch(slots.reserve(20), 20)));
    expect(batches.reduce((sum, { routed }) => sum + routed, 0)).toBe(40);
    const leased = batches.reduce((sum, { handedOff }) => sum + handedOff.length, 0);
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
    expect(await kernel.app.get(Router).routeBatch(room())).toEqual({ routed: 3, handedOff: [], queued: 3 });
  });

  it('leaves what wants order to the router that keeps it, and misses nothing beside it', async () => {
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

describe('a transaction that reads and then writes', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
    await kernel.database.query('create table told (id int primary key)');
  });
  afterAll(() => kernel.close());

  const read = { text: 'select 7 as seven', values: [] };
  const insert = (id: number) => ({ text: 'insert into told values ($1)', values: [id] });
  const told = async () =>
    (await kernel.database.query<{ id: number }>('select id from told order by id')).map(({ id }) => id);

  it('is committed with what it writes', async () => {
    const rows = await readThenWrite(kernel.em, read, async (found, write) => {
      await write(insert(1));
      return found;
    });
    expect(rows).toEqual([{ seven: 7 }]);
    expect(await told()).toContain(1);
  });

  it('has what it writes on its way before anything else is done', async () => {
    await readThenWrite(kernel.em, read, async (_, write) => {
      const committed = write(insert(2));
      // This process does nothing; the server goes on.
      const end = performance.now() + 60_000;
      while (countTold(kernel.database.url, 2) === 0 && performance.now() < end);
      expect(countTold(kernel.database.url, 2)).toBe(1);
      await committed;
    });
  });

  it('changes nothing and gives its connection back where nothing is written, something fails, or the work throws', async () => {
    const inserting = { text: 'insert into told values (3) returning id', values: [] };
    const twice = { text: 'insert into told select 4 from generate_series(1, 2)', values: [] };
    for (let turn = 0; turn < 30; turn++) {
      expect(await readThenWrite(kernel.em, inserting, async (rows) => rows)).toEqual([{ id: 3 }]);
      const failing = { text: 'select 1 / 0', values: [] };
      await expect(readThenWrite(kernel.em, failing, async () => 1)).rejects.toThrow(/zero/);
      const throwing = readThenWrite(kernel.em, read, async () => {
        throw new Error('no answer');
      });
      await expect(throwing).rejects.toThrow('no answer');
      await expect(readThenWrite(kernel.em, read, (_, write) => write(twice))).rejects.toThrow(/duplicate key/);
    }
    expect(await told()).toEqual(expect.not.arrayContaining([3, 4]));
  });
});

/** From another process, because this one is kept busy. */
function countTold(url: string, id: number): number {
  const look = `
    import pg from 'pg';
    const client = new pg.Client({ connectionString: process.argv[1] });
    await client.connect();
    const { rows } = await client.query('select count(*)::int from told where id = $1', [process.argv[2]]);
    process.stdout.write(String(rows[0].count));
    await client.end();
  `;
  const args = ['--input-type=module', '--eval', look, url, String(id)];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env: {} }));
}

describe('a statement with a round trip of its own', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  it('is undone when it fails, tells why, and gives its connection back', async () => {
    await kernel.database.query('create table made_here (id int primary key)');
    for (let turn = 0; turn < 30; turn++) {
      const twice = sql`insert into made_here select 1 from generate_series(1, 2)`;
      await expect(executeAlone(kernel.em, twice)).rejects.toThrow(/duplicate key/);
    }
    expect(await executeAlone(kernel.em, sql`insert into made_here values (1) returning id`)).toEqual([{ id: 1 }]);
    expect(await kernel.database.query('select id from made_here')).toEqual([{ id: 1 }]);
  });

  it('leaves no setting of its own behind on the connection', async () => {
    await executeAlone(kernel.em, sql`select 1`);
    const [setting] = await kernel.em.fork().execute<{ enable_seqscan: string }[]>('show enable_seqscan');
    expect(setting).toEqual({ enable_seqscan: 'on' });
  });
});
