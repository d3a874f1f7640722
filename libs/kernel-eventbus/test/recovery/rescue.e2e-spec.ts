import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { claimDeliveries, claimLanes } from '../../src/worker/claim/claim-due.sql.js';
import { claimSuspects, suspectsWait } from '../../src/deliveries/suspects.sql.js';
import type { Sendable } from '../../src/deliveries/sendable.js';
import { rescueLeases } from '../../src/deliveries/rescue.sql.js';
import { Router } from '../../src/routing/router.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import { NO_ROOM } from '../routing/no-room.js';

const NOWHERE = 'http://127.0.0.1:9/hook';
const tenantId = randomUUID();

describe('workers that fall silent', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    // A rescue has a quarter of the silence to be done.
    kernel = await startKernelApp({ role: 'api', heartbeat: { silentMs: 40_000 } });
  });
  afterEach(() => kernel.close());

  const db = () => kernel.em.fork().getKysely<unknown>();
  const claim = (workerId: string, limit = 100) => ({
    workerId,
    limit,
    leaseMs: 3_600_000,
    probeMs: 1_000,
    perEndpoint: 1_000,
    prefetch: 1,
    exceptTenantIds: [],
    perTenant: 1_000,
    held: { endpointIds: [], counts: [] },
    groupSize: 16,
  });
  const addEndpoint = (ordering: 'none' | 'stream' = 'none') =>
    kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'], ordering });
  const publish = async (count: number, streamKey: (n: number) => string = () => 's') => {
    await kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId,
          type: 't.v1',
          streamKey: streamKey(n),
          traceId: 'trace-0001',
        })),
        { em },
      ),
    );
    await kernel.app.get(Router).routeBatch(NO_ROOM);
  };
  const suspectGroup = (workerId: string) =>
    kernel.em.fork().transactional((em) => claimSuspects(em.getKysely<unknown>(), claim(workerId)));
  const fallsSilent = (workerId: string, inFlight: readonly { deliveryId: string }[]) =>
    kernel.database.query(
      `insert into kernel_worker (worker_id, heartbeat_at, in_flight) values ($1, now() - interval '1 minute', $2)`,
      [workerId, inFlight.map(({ deliveryId }) => deliveryId)],
    );
  const dies = async (workerId: string, inFlight: readonly { deliveryId: string }[] = []) => {
    await fallsSilent(workerId, inFlight);
    return kernel.app.get(Rescuer).rescue();
  };
  const soloCrashesOf = async ({ deliveryId }: { deliveryId: string }) => {
    const [row] = await kernel.database.query<{ count: number }>(
      'select lonely_deaths as count from kernel_webhook_delivery where delivery_id = $1',
      [deliveryId],
    );
    return row!.count;
  };
  /** As an outcome does it. */
  const comeThrough = (deliveries: readonly { deliveryId: string }[]) =>
    kernel.database.query(
      `update kernel_webhook_delivery set status = 'DELIVERED', settled_at = now(), lease_until = null, leased_by = null,
         is_suspect = false, crashes = 0, lonely_deaths = 0 where delivery_id = any($1)`,
      [deliveries.map(({ deliveryId }) => deliveryId)],
    );

  it('lose what they hold: only what had begun is suspect, the rest goes back to the queue', async () => {
    await addEndpoint();
    await publish(5);
    const held = await claimDeliveries(db(), claim('a'));
    const [begun, ...others] = held.map(({ deliveryId }) => deliveryId);
    expect(await claimDeliveries(db(), claim('b'))).toEqual([]);
    expect(await suspectsWait(db())).toBe(false);
    expect(await dies('a', [{ deliveryId: begun! }])).toEqual([{ workerId: 'a', deliveries: 5 }]);
    const requeued = await claimDeliveries(db(), claim('b'));
    expect(requeued.map(({ deliveryId }) => deliveryId).sort()).toEqual(others.sort());
    expect(await suspectsWait(db())).toBe(true);
    const { deliveries } = await suspectGroup('b');
    expect(deliveries).toMatchObject([{ deliveryId: begun, soloCrashes: 0, attempts: 0, isSuspect: true }]);
  });

  it.each([
    ['nothing suspect where they fell silent before the database came back', 1_000, false],
    ['suspects of what was in flight where they fell silent afterwards', 3_600_000, true],
  ])('make %s', async (_, databaseBackMs, isSuspect) => {
    await addEndpoint();
    await publish(2);
    await fallsSilent('a', await claimDeliveries(db(), claim('a')));
    await rescueLeases(db(), 10_000, { databaseBackMs });
    expect(await suspectsWait(db())).toBe(isSuspect);
    expect(await claimDeliveries(db(), claim('b'))).toHaveLength(isSuspect ? 0 : 2);
  });

  it('keep what they hold while they say that they live', async () => {
    await addEndpoint();
    await publish(1);
    await claimDeliveries(db(), claim('a'));
    await kernel.database.query(`insert into kernel_worker (worker_id) values ('a')`);
    expect(await kernel.app.get(Rescuer).rescue()).toEqual([]);
    expect(await kernel.database.query('select leased_by from kernel_webhook_delivery')).toEqual([{ leased_by: 'a' }]);
  });

  it('keep settled what they settle at the moment of the rescue', async () => {
    await addEndpoint();
    await publish(2);
    const held = await claimDeliveries(db(), claim('a'));
    const slow = kernel.em.fork();
    await slow.begin();
    await slow.execute(
      `update kernel_webhook_delivery set status = 'DELIVERED', settled_at = now(), lease_until = null, leased_by = null
       where delivery_id = (select delivery_id from kernel_webhook_delivery limit 1)`,
    );
    const rescue = dies('a', held);
    await waitFor(async () => {
      const waiting = await kernel.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    }, 'the rescue to wait for the row');
    await slow.commit();
    expect(await rescue).toEqual([{ workerId: 'a', deliveries: 1 }]);
    expect(
      await kernel.database.query('select status, is_suspect, lease_epoch from kernel_webhook_delivery order by 1'),
    ).toEqual([
      { status: 'DELIVERED', is_suspect: false, lease_epoch: 1 },
      { status: 'PENDING', is_suspect: true, lease_epoch: 2 },
    ]);
  });

  it('leave suspects to workers that can send them', async () => {
    await addEndpoint();
    await publish(2);
    await dies('a', await claimDeliveries(db(), claim('a')));
    const unable = { endpointIds: [], dispatchers: ['queue'], defaultDispatcher: 'http' };
    expect(await suspectsWait(db(), { sendable: unable })).toBe(false);
    const groupFor = (sendable: Sendable) =>
      kernel.em.fork().transactional((em) => claimSuspects(em.getKysely<unknown>(), { ...claim('b'), sendable }));
    expect(await groupFor(unable)).toEqual({ deliveries: [], lanes: [] });
    const { deliveries } = await groupFor({ ...unable, dispatchers: ['queue', 'http'] });
    expect(deliveries).toHaveLength(2);
  });

  it('leave suspects that one worker at a time tries, in groups that halve with every crash', async () => {
    await addEndpoint();
    await publish(32);
    await dies('a', await claimDeliveries(db(), claim('a')));
    const [one, other] = await Promise.all([suspectGroup('b'), suspectGroup('c')]);
    expect([one.deliveries.length, other.deliveries.length].sort()).toEqual([0, 16]);
    const first = [...one.deliveries, ...other.deliveries];
    expect((await suspectGroup('c')).deliveries).toEqual([]);
    await dies(one.deliveries.length > 0 ? 'b' : 'c', first);

    const sizes: number[] = [];
    const { deliveries: untried } = await suspectGroup('d');
    expect(untried).toHaveLength(16);
    await comeThrough(untried);
    for (let group = await suspectGroup('e'); group.deliveries.length > 0; group = await suspectGroup('e')) {
      sizes.push(group.deliveries.length);
      expect(first.map(({ deliveryId }) => deliveryId)).toEqual(
        expect.arrayContaining(group.deliveries.map(({ deliveryId }) => deliveryId)),
      );
      await comeThrough(group.deliveries);
    }
    expect(sizes).toEqual([8, 8]);
  });

  it('find a killer among 16 after four crashes of its groups and three of its own', async () => {
    await addEndpoint();
    await publish(16);
    const held = await claimDeliveries(db(), claim('w0'));
    const killer = held[5]!;
    await dies('w0', held);
    let deaths = 1;
    while ((await soloCrashesOf(killer)) < 3) {
      const { deliveries } = await suspectGroup(`w${deaths}`);
      if (deliveries.some(({ deliveryId }) => deliveryId === killer.deliveryId)) {
        await dies(`w${deaths++}`, deliveries);
      } else {
        await comeThrough(deliveries);
      }
    }
    expect(deaths).toBe(1 + 4 + 3);
    expect(await kernel.database.query('select lonely_deaths from kernel_webhook_delivery where is_suspect')).toEqual([
      { lonely_deaths: 3 },
    ]);
  });

  it('count a crash for a suspect only if no other suspect was in flight, and only in a row', async () => {
    await addEndpoint();
    await publish(3);
    const [innocent, killer, another] = await claimDeliveries(db(), claim('a'));
    await kernel.database.query(`update kernel_webhook_delivery set lease_until = null, leased_by = null`);
    const isolate = (workerId: string, ...deliveries: { deliveryId: string }[]) =>
      kernel.database.query(
        `update kernel_webhook_delivery set leased_by = $1, lease_until = now() + interval '1 hour' where delivery_id = any($2)`,
        [workerId, deliveries.map(({ deliveryId }) => deliveryId)],
      );
    await isolate('b', innocent!);
    await dies('b', [innocent!]);
    expect(await soloCrashesOf(innocent!)).toBe(0);

    // Normal deliveries beside it do not make it less solo, and are not solo themselves.
    await isolate('c', innocent!, killer!);
    await dies('c', [innocent!, killer!]);
    expect(await soloCrashesOf(innocent!)).toBe(1);
    expect(await soloCrashesOf(killer!)).toBe(0);

    // A solo crash of another one says nothing of it: there may be two killers.
    await isolate('d', killer!, another!);
    await dies('d', [killer!, another!]);
    expect(await soloCrashesOf(killer!)).toBe(1);
    expect(await soloCrashesOf(innocent!)).toBe(1);

    // A crash of several others starts its count anew.
    await isolate('e', killer!, another!);
    await dies('e', [killer!, another!]);
    expect(await soloCrashesOf(killer!)).toBe(1);
    expect(await soloCrashesOf(innocent!)).toBe(0);
  });

  it('find two killers, although each interrupts the crashes of the other', async () => {
    await addEndpoint();
    await publish(8);
    const held = await claimDeliveries(db(), claim('w0'));
    const killers = held.slice(2, 4);
    const isKiller = ({ deliveryId }: { deliveryId: string }) =>
      killers.some((killer) => killer.deliveryId === deliveryId);
    await dies('w0', held);
    let deaths = 1;
    const found = async () => (await Promise.all(killers.map(soloCrashesOf))).every((crashes) => crashes >= 3);
    while (!(await found()) && deaths < 30) {
      const { deliveries } = await suspectGroup(`w${deaths}`);
      if (deliveries.some(isKiller)) {
        await dies(`w${deaths++}`, deliveries);
      } else {
        await comeThrough(deliveries);
      }
    }
    expect(await found()).toBe(true);
  });

  it('lose their lanes: one whose head had begun is suspect and tried with its head alone, others are queued', async () => {
    await addEndpoint('stream');
    await publish(6, (n) => (n < 3 ? 'one' : 'other'));
    const lanes = await claimLanes(db(), claim('a'));
    expect(lanes.map((lane) => lane.deliveries.length)).toEqual([3, 3]);
    const [begun, waiting] = lanes;
    await dies('a', [begun!.deliveries[0]!]);
    expect(await claimLanes(db(), claim('b'))).toMatchObject([{ laneId: waiting!.laneId }]);
    const group = await suspectGroup('b');
    expect(group.deliveries).toEqual([]);
    expect(group.lanes).toMatchObject([{ laneId: begun!.laneId, deliveries: [{ streamSequence: '1' }] }]);
    expect((await suspectGroup('c')).lanes).toEqual([]);
    await dies('b', [begun!.deliveries[0]!]);
    expect(await soloCrashesOf(begun!.deliveries[0]!)).toBe(1);
  });
});

describe('a worker', () => {
  it('takes over from a silent one, delivers its suspects and sends poison to the DLQ', async () => {
    const receiver = await WebhookReceiver.start();
    const api = await startKernelApp({ role: 'api' });
    await api.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await api.em.fork().transactional((em) =>
      api.outbox.publishAll(
        Array.from({ length: 5 }, () => ({ tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' })),
        { em },
      ),
    );
    await api.app.get(Router).routeBatch(NO_ROOM);
    await api.database.query(
      `update kernel_webhook_delivery set leased_by = 'dead', lease_until = now() + interval '1 day', lease_epoch = 1`,
    );
    await api.database.query(
      `update kernel_webhook_delivery set is_suspect = true, lonely_deaths = 3 where delivery_id = (select delivery_id from kernel_webhook_delivery limit 1)`,
    );
    await api.database.query(
      `insert into kernel_worker (worker_id, heartbeat_at, in_flight)
       select 'dead', now() - interval '1 minute', array_agg(delivery_id) from kernel_webhook_delivery`,
    );

    const worker = await startKernelApp({
      role: 'worker',
      database: api.database,
      heartbeat: { intervalMs: 50, silentMs: 5_000 },
    });
    const states = () =>
      api.database.query<{ status: string; dead_letter_reason: string | null }>(
        'select status, dead_letter_reason from kernel_webhook_delivery order by status',
      );
    await waitFor(async () => (await states()).every(({ status }) => status !== 'PENDING'), 'all to be settled');
    expect(await states()).toEqual([
      ...Array(4).fill({ status: 'DELIVERED', dead_letter_reason: null }),
      { status: 'DLQ', dead_letter_reason: 'poison' },
    ]);
    expect(receiver.received).toHaveLength(4);
    await worker.close();
    expect(await api.database.query('select 1 from kernel_worker')).toEqual([]);
    await api.close();
    await receiver.stop();
  });
});
