import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { requeueDeliveries } from '../../src/deliveries/dead-letters.sql.js';
import { Router } from '../../src/routing/router.js';
import { NO_ROOM } from '../routing/no-room.js';

const tenantId = randomUUID();
const RETENTION = { publishedDays: 30 };

describe('requeued deliveries of a lane', () => {
  let kernel: KernelApp;
  let ids: string[];
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
    await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:9/hook', types: ['t.v1'], ordering: 'stream' });
    const event = { tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' };
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll([event, event, event], { em }));
    await kernel.app.get(Router).routeBatch(NO_ROOM);
    const rows = await kernel.database.query(
      'select delivery_id from kernel_webhook_delivery order by stream_sequence',
    );
    ids = rows.map((row) => row.delivery_id as string);
    await kernel.database.query(
      `update kernel_webhook_delivery set status = case delivery_id when $1 then 'DELIVERED' else 'DLQ' end, attempts = 3,
         settled_at = clock_timestamp(), next_attempt_at = null where delivery_id in ($1, $2)`,
      ids.slice(0, 2),
    );
    await kernel.database.query(
      'update kernel_lane set blocked_by = $1, blocked_at = clock_timestamp(), ready_at = null',
      [ids[1]],
    );
  });
  afterEach(() => kernel.close());

  const requeue = (deliveryIds: readonly string[]) =>
    kernel.em.fork().transactional((em) => requeueDeliveries(em.getKysely(), deliveryIds, RETENTION));
  const lane = async () => (await kernel.database.query('select * from kernel_lane'))[0]!;

  it('unblock it when its dead letter is among them, and are returned with their state before', async () => {
    const requeued = await requeue(ids);
    expect(requeued).toMatchObject([
      { deliveryId: ids[0], previousStatus: 'DELIVERED', previousAttempts: 3, tenantId, eventType: 't.v1' },
      { deliveryId: ids[1], previousStatus: 'DLQ', previousAttempts: 3, tenantId, eventType: 't.v1' },
    ]);
    expect(await lane()).toMatchObject({ blocked_by: null, blocked_at: null, ready_at: expect.any(Date) });
    expect(await requeue(ids)).toEqual([]);
  });

  it('leave it blocked when its dead letter is not among them', async () => {
    expect(await requeue([ids[0]!])).toHaveLength(1);
    expect(await lane()).toMatchObject({ blocked_by: ids[1], blocked_at: expect.any(Date) });
  });

  it('unblock it after waiting for a router that holds it', async () => {
    const before = await lane();
    let requeued: Promise<unknown[]> | undefined;
    await kernel.em.fork().transactional(async (em) => {
      await em.execute('update kernel_lane set last_sequence = 4, wake_count = wake_count + 1');
      requeued = requeue(ids);
      await waitFor(async () => {
        const waiting = await kernel.database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length === 1;
      }, 'the replay to wait for the lane');
    });
    expect(await requeued).toHaveLength(2);
    expect(await lane()).toMatchObject({
      ...{ blocked_by: null, blocked_at: null, last_sequence: '4', ready_at: expect.any(Date) },
      wake_count: (before.wake_count as number) + 2,
    });
  });
});
