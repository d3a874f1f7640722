import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Slots } from '../../src/worker/slots.js';
import { Router } from '../../src/routing/router.js';
import { executeAlone, readThenWrite } from '@kernel/runtime';

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
    // A full batch: the router takes it that more waits.
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
      expect(delivery).toMatchObject({ eventId: event!.eventId, tenantId, url: NOWHERE, leaseEpoch: 1, attempts: 0 });
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
    const rows = await readThenWrite(kernel.em, read, async (found, { commitWith }) => {
      await commitWith(insert(1));
      return found;
    });
    expect(rows).toEqual([{ seven: 7 }]);
    expect(await told()).toContain(1);
  });

  it('has what it writes on its way before anything else is done', async () => {
    const watcher = await TableWatcher.start(kernel.database.url, 2);
    await readThenWrite(kernel.em, read, async (_, { commitWith }) => {
      const committed = commitWith(insert(2));
      // This thread does nothing; the server goes on.
      expect(watcher.blockUntilTold()).toBe(true);
      await committed;
    });
    await watcher.stop();
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
      await expect(readThenWrite(kernel.em, read, (_, { commitWith }) => commitWith(twice))).rejects.toThrow(
        /duplicate key/,
      );
    }
    expect(await told()).toEqual(expect.not.arrayContaining([3, 4]));
  });
});

const WATCHER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const pg = require('pg');
  const isTold = new Int32Array(workerData.shared);
  (async () => {
    const client = new pg.Client({ connectionString: workerData.url });
    await client.connect();
    parentPort.postMessage('connected');
    while (isTold[0] === 0) {
      const { rowCount } = await client.query('select from told where id = $1', [workerData.id]);
      Atomics.store(isTold, 0, rowCount);
    }
    Atomics.notify(isTold, 0);
    await client.end();
  })();
`;

/** Looks for a row from a thread of its own, so that this one can be kept busy. */
class TableWatcher {
  readonly #isTold = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;

  private constructor(url: string, id: number) {
    this.#worker = new Worker(WATCHER, { eval: true, workerData: { shared: this.#isTold.buffer, url, id } });
  }

  static async start(url: string, id: number): Promise<TableWatcher> {
    const watcher = new TableWatcher(url, id);
    await once(watcher.#worker, 'message');
    return watcher;
  }

  /** Keeps this thread from doing anything until the row is there; false when it does not come. */
  blockUntilTold(): boolean {
    Atomics.wait(this.#isTold, 0, 0, 60_000);
    return Atomics.load(this.#isTold, 0) === 1;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
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
