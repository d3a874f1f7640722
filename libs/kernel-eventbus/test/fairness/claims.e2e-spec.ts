import { sql, type Kysely } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimDeliveries, claimLanes } from '../../src/worker/claim/claim-due.sql.js';
import type { Claim } from '../../src/worker/claim/claim.js';
import { QueueRotation } from '../../src/worker/claim/queue-rotation.js';
import { seedQueues } from './seed-queues.js';

interface Claimed {
  tenantId: string;
  endpointId: string;
}

const LIMIT = 60;

/** Rows of deliveries and lanes that this connection has read recently, with or without an index. */
async function readsSoFar(trx: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int as reads
    from pg_stat_xact_user_tables
    where relname in ('kernel_webhook_delivery', 'kernel_lane', 'kernel_webhook_endpoint', 'kernel_endpoint_circuit')
  `.execute(trx);
  return rows[0]?.reads ?? 0;
}

describe.each<'delivery' | 'lane'>(['delivery', 'lane'])('claims of each %s', (kind) => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());
  beforeEach(() =>
    kernel.database.query(
      'delete from kernel_webhook_delivery; delete from kernel_lane; delete from kernel_endpoint_circuit; delete from kernel_webhook_endpoint',
    ),
  );

  const claimWith = kind === 'lane' ? claimLanes : claimDeliveries;
  const claim = (request: Partial<Claim> = {}, db = kernel.em.fork().getKysely<unknown>()): Promise<Claimed[]> =>
    claimWith(db, {
      limit: LIMIT,
      perEndpoint: 1_000,
      prefetch: 1,
      workerId: 'w',
      leaseMs: 600_000,
      probeMs: 1_000,
      exceptTenantIds: [],
      perTenant: 1_000,
      held: { endpointIds: [], counts: [] },
      endpoints: new EndpointCache(),
      ...request,
    });
  /** Number of the claim that first served each key. */
  const firstServed = async (count: number, keyOf: (claimed: Claimed) => string, request: Partial<Claim> = {}) => {
    const first = new Map<string, number>();
    for (let turn = 1; turn <= count; turn++) {
      for (const key of (await claim(request)).map(keyOf)) {
        first.set(key, Math.min(turn, first.get(key) ?? turn));
      }
    }
    return first;
  };
  const readsOf = (request: Partial<Claim> = {}) =>
    kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute(async (trx) => {
        const before = await readsSoFar(trx);
        const claimed = await claim(request, trx);
        return { claimed, reads: (await readsSoFar(trx)) - before };
      });

  it.each([
    { tenants: 300, each: 20, status: 'PENDING' },
    { tenants: 300, each: 20, status: 'FAILED' },
    { tenants: 400, each: 60, status: 'FAILED' },
  ] as const)('serve each of $tenants tenants with $each $status within two rounds', async (queues) => {
    const tenants = await seedQueues(kernel.database, queues, kind);
    const claims = Math.ceil((2 * tenants.length) / LIMIT);
    const first = await firstServed(claims, ({ tenantId }) => tenantId, { rotation: new QueueRotation() });
    expect(first.size).toBe(tenants.length);
  });

  it('serve each endpoint of a tenant within two rounds, and a tenant with one endpoint meanwhile', async () => {
    const [many] = await seedQueues(kernel.database, { tenants: 1, endpoints: 300, each: 5 }, kind);
    const few = await seedQueues(kernel.database, { tenants: 3, each: 20 }, kind);
    const rotation = new QueueRotation();
    const first = new Map<string, number>();
    let ofMany = 0;
    for (let turn = 1; turn <= 2 * Math.ceil(300 / (LIMIT / 4)); turn++) {
      const claimed = await claim({ rotation });
      claimed.forEach(({ endpointId }) => first.set(endpointId, first.get(endpointId) ?? turn));
      ofMany += turn === 1 ? claimed.filter(({ tenantId }) => tenantId === many).length : 0;
      expect(turn > 1 || new Set(claimed.map(({ tenantId }) => tenantId)).size === 1 + few.length).toBe(true);
    }
    expect(ofMany).toBeLessThanOrEqual(LIMIT / 4);
    expect(first.size).toBe(300 + few.length);
  });

  it('read no more when 10,000 tenants are idle than when 100 are', async () => {
    const idle = async (tenants: number) => {
      const each = Math.ceil(tenants / 3);
      await seedQueues(kernel.database, { tenants: each, each: 1, status: 'DELIVERED', due: '-1 day' });
      await seedQueues(kernel.database, { tenants: each, each: 1, status: 'FAILED', isParked: true }, kind);
      await seedQueues(kernel.database, { tenants: each, each: 2, status: 'FAILED', due: '1 hour' }, kind);
    };
    const rotation = new QueueRotation();
    await idle(100);
    const few = await readsOf({ rotation });
    await idle(9_900);
    const many = await readsOf({ rotation });
    expect([few.claimed, many.claimed]).toEqual([[], []]);
    expect(many.reads).toBeLessThanOrEqual(few.reads);

    await seedQueues(kernel.database, { tenants: 2_500, each: 1, status: 'FAILED', isCircuitOpen: true }, kind);
    const [busy] = await seedQueues(kernel.database, { tenants: 1, each: 1, status: 'FAILED', due: '-1 second' }, kind);
    const found = await readsOf({ rotation });
    expect(found.claimed.map(({ tenantId }) => tenantId)).toEqual([busy]);
    expect(found.reads).toBeLessThan(LIMIT * 20);
  });

  it('read nothing of 10,000 tenants whose retries are due in an hour', async () => {
    await seedQueues(kernel.database, { tenants: 10_000, each: 1, status: 'FAILED', due: '1 hour' }, kind);
    const [busy] = await seedQueues(kernel.database, { tenants: 1, each: 3 }, kind);
    const { claimed, reads } = await readsOf({ rotation: new QueueRotation() });
    expect(claimed.map(({ tenantId }) => tenantId)).toEqual([busy, busy, busy]);
    expect(reads).toBeLessThan(100);
  });

  it('leave what this process cannot send, and read no more of it than of other backlogs', async () => {
    await seedQueues(kernel.database, { tenants: 1, each: 20_000, dispatcher: 'elsewhere' }, kind);
    const [own] = await seedQueues(kernel.database, { tenants: 1, each: 3 }, kind);
    const { claimed, reads } = await readsOf({
      rotation: new QueueRotation(),
      canSend: ({ dispatcher }) => dispatcher === null,
    });
    expect(claimed.map(({ tenantId }) => tenantId)).toEqual([own, own, own]);
    expect(reads).toBeLessThan(LIMIT * 20);
  });

  it('give an endpoint of all tenants no more than its places', async () => {
    const tenants = await seedQueues(kernel.database, { tenants: 20, each: 5 }, kind);
    const [shared] = await kernel.database.query<{ endpoint_id: string }>(
      'select endpoint_id from kernel_webhook_endpoint limit 1',
    );
    await kernel.database.query('update kernel_lane set endpoint_id = $1', [shared!.endpoint_id]);
    await kernel.database.query('update kernel_webhook_delivery set endpoint_id = $1', [shared!.endpoint_id]);
    const rotation = new QueueRotation();
    expect(await claim({ rotation, perEndpoint: 4 })).toHaveLength(4);
    const first = await firstServed(2 * (tenants.length / 4), ({ tenantId }) => tenantId, { rotation, perEndpoint: 4 });
    expect(first.size).toBe(tenants.length);
  });
});
