import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { claimDeliveries, claimLanes } from '../../src/worker/claim/claim-due.sql.js';
import { suspectsWait } from '../../src/deliveries/suspects.sql.js';
import { rescueLeases } from '../../src/deliveries/rescue.sql.js';
import { Router } from '../../src/routing/router.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import { NO_ROOM } from '../routing/no-room.js';
import { rescueSteps, startForRescue, tenantId } from './rescue-steps.js';

describe('workers that fall silent', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startForRescue();
  });
  afterEach(() => kernel.close());
  const { db, claim, addEndpoint, publish, suspectGroup, fallsSilent, dies, soloCrashesOf } = rescueSteps(() => kernel);

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
