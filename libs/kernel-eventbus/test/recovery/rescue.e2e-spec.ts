import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import { claimDeliveries } from '../../src/delivery/claim-deliveries.sql.js';
import { claimLanes } from '../../src/delivery/claim-lanes.sql.js';
import { claimSuspectDelivery, claimSuspectLane, suspectsWait } from '../../src/delivery/claim-suspects.sql.js';
import { Router } from '../../src/routing/router.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import { NO_ROOM } from '../routing/no-room.js';

const NOWHERE = 'http://127.0.0.1:9/hook';
const tenantId = randomUUID();

describe('workers that fall silent', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterEach(() => kernel.close());

  const db = () => kernel.em.fork().getKysely<unknown>();
  const claim = (workerId: string, limit = 10) => ({
    workerId,
    limit,
    leaseMs: 3_600_000,
    probeMs: 1_000,
    perEndpoint: 1_000,
    prefetch: 1,
    held: { endpointIds: [], counts: [] },
  });
  const publish = async (count: number) => {
    await kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, () => ({ tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' })),
        { em },
      ),
    );
    await kernel.app.get(Router).routeBatch(NO_ROOM);
  };
  const dies = async (workerId: string) => {
    await kernel.database.query(
      `insert into kernel_worker (worker_id, heartbeat_at) values ($1, now() - interval '1 minute')`,
      [workerId],
    );
    return kernel.app.get(Rescuer).rescue();
  };

  it('lose what they hold: it is suspect, and no other claim takes it but the one for suspects, one at a time', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(3);
    expect(await claimDeliveries(db(), claim('a'))).toHaveLength(3);
    expect(await claimDeliveries(db(), claim('b'))).toEqual([]);
    expect(await suspectsWait(db())).toBe(false);
    expect(await dies('a')).toEqual([{ workerId: 'a', deliveries: 3 }]);
    expect(await claimDeliveries(db(), claim('b'))).toEqual([]);
    expect(await suspectsWait(db())).toBe(true);
    const alone = await claimSuspectDelivery(db(), claim('b'));
    expect(alone).toMatchObject({ lonelyDeaths: 0, attempts: 0 });
  });

  it('keep what they hold while they say that they live', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(1);
    await claimDeliveries(db(), claim('a'));
    await kernel.database.query(`insert into kernel_worker (worker_id) values ('a')`);
    expect(await kernel.app.get(Rescuer).rescue()).toEqual([]);
    expect(await kernel.database.query('select leased_by from kernel_webhook_delivery')).toEqual([{ leased_by: 'a' }]);
  });

  it('keep settled what they settle at the moment of the rescue', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(2);
    await claimDeliveries(db(), claim('a'));
    const slow = kernel.em.fork();
    await slow.begin();
    await slow.execute(
      `update kernel_webhook_delivery set status = 'DELIVERED', settled_at = now(), lease_until = null, leased_by = null
       where delivery_id = (select delivery_id from kernel_webhook_delivery limit 1)`,
    );
    const rescue = dies('a');
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

  it('count a death only against a suspect that was alone', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(2);
    await claimDeliveries(db(), claim('a'));
    await dies('a');
    for (const [worker, deaths] of [
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ] as const) {
      const first = await claimSuspectDelivery(db(), claim(worker));
      await dies(worker);
      expect(
        await kernel.database.query('select lonely_deaths from kernel_webhook_delivery where delivery_id = $1', [
          first!.deliveryId,
        ]),
      ).toEqual([{ lonely_deaths: deaths }]);
    }
    expect(await kernel.database.query('select lonely_deaths from kernel_webhook_delivery order by 1')).toEqual([
      { lonely_deaths: 0 },
      { lonely_deaths: 3 },
    ]);
  });

  it('lose their lanes: the head runs alone, the rest waits behind it', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'], ordering: 'stream' });
    await publish(3);
    const [lane] = await claimLanes(db(), claim('a'));
    expect(lane!.deliveries).toHaveLength(3);
    await dies('a');
    expect(await claimLanes(db(), claim('b'))).toEqual([]);
    const alone = await claimSuspectLane(db(), claim('b'));
    expect(alone!.deliveries.map((delivery) => delivery.streamSequence)).toEqual(['1']);
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
      `insert into kernel_worker (worker_id, heartbeat_at) values ('dead', now() - interval '1 minute')`,
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
