import { randomUUID } from 'node:crypto';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { v7 as uuidv7 } from 'uuid';
import type { KernelApp, KernelAppOptions } from '@kernel/test-support/kernel-app';
import { PartitionKeeper } from '../../src/upkeep/partition-keeper.js';
import { partitionName } from '../../src/envelope/partition-range.js';
import { RetentionKeeper } from '../../src/upkeep/retention-keeper.js';
import {
  ageDeliveries,
  DAY_MS,
  daysAgo,
  insertPastDelivery,
  insertPastEvent,
  startAt,
  type PastEvent,
} from '@kernel/test-support/past';

/** Old enough for its partition to be dropped, recent enough for its dead letters to stay. */
const OLD_DAYS = 60;
const old = () => daysAgo(OLD_DAYS);

async function setup(options: KernelAppOptions = {}) {
  const { kernel, clock } = await startAt(old(), options);
  clock.time = new Date();
  await kernel.app.get(PartitionKeeper).round();
  const receiver = await WebhookReceiver.start();
  const tenantId = randomUUID();
  return { kernel, receiver, tenantId };
}

describe('retention', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  let tenantId: string;
  const start = async (options?: KernelAppOptions) => ({ kernel, receiver, tenantId } = await setup(options));
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const round = () => kernel.app.get(RetentionKeeper).round();
  const partitions = async () => (await kernel.app.get(PartitionKeeper).list()).map(({ name }) => name);
  const oldDay = (days = OLD_DAYS) =>
    partitionName({ fromMs: Math.floor(daysAgo(days).getTime() / DAY_MS) * DAY_MS, toMs: 0 });
  const insertEvent = (event: Partial<PastEvent> = {}) =>
    insertPastEvent(kernel.database, { tenantId, at: old(), ...event });
  const rows = (sql: string) => kernel.database.query<Record<string, unknown>>(sql);
  const statuses = async () =>
    (await rows('select status from kernel_webhook_delivery order by stream_sequence, delivery_id')).map(
      ({ status }) => status,
    );
  const settled = (status: string, count = 1) =>
    waitFor(async () => (await statuses()).filter((each) => each === status).length === count, `${count} ${status}`);
  const ledger = (kind: string) =>
    kernel.database.query(`select actor, detail from kernel_ledger_entry where kind = $1 order by recorded_at`, [kind]);
  const endpoint = (options: object = {}) =>
    kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'], ...options });
  const deliveryIds = async () =>
    (await rows('select delivery_id from kernel_webhook_delivery order by stream_sequence, delivery_id')).map(
      ({ delivery_id }) => delivery_id as string,
    );
  const replay = async (deliveryId: string) =>
    kernel.app.get(DeliveryReplay).replay({ deliveryId, actor: 'operator:ada', reason: 'repaired' });

  describe('of partitions', () => {
    it('[ADR-12] drops those that are wholly older and published, says so in the ledger, and keeps the others', async () => {
      await start({ role: 'api' });
      const before = await partitions();
      await insertEvent({ status: 'PUBLISHED' });
      await insertEvent({ status: 'PUBLISHED' });
      const young = await insertEvent({ status: 'PUBLISHED', at: new Date() });

      const { partitions: dropped } = await round();
      expect(dropped).toHaveLength(4);
      expect(dropped[0]).toMatchObject({ name: oldDay(), outcome: 'dropped', events: 2, pending: 0, retained: 0 });
      expect(await partitions()).toEqual(before.slice(4));
      expect(await rows('select event_id from kernel_outbox_event')).toEqual([{ event_id: young }]);
      const entries = await ledger('partition-dropped');
      expect(entries).toHaveLength(4);
      expect(entries[0]).toMatchObject({ actor: 'kernel', detail: { partition: oldDay(), events: 2, retained: 0 } });
    });

    it('[ADR-12] keeps one with a pending event, and one whose old id came with a young event', async () => {
      await start({ role: 'api' });
      await insertEvent({ status: 'PENDING' });
      await insertEvent({ status: 'PUBLISHED', at: daysAgo(OLD_DAYS - 1), createdAt: daysAgo(2) });
      const { partitions: dropped } = await round();
      expect(dropped.map(({ outcome }) => outcome)).toEqual(['needed', 'needed', 'dropped', 'dropped']);
      expect(await rows('select event_id from kernel_outbox_event')).toHaveLength(2);
      expect(await rows('select event_id from kernel_retained_event')).toEqual([]);
    });

    it('[ADR-12] goes on beside publishers: none fails, nothing of theirs is lost', async () => {
      await start();
      await endpoint();
      for (let n = 0; n < 4; n++) {
        await insertEvent({ at: daysAgo(OLD_DAYS - n) });
      }
      await settled('DELIVERED', 4);
      let isOver = false;
      const published: string[] = [];
      const publisher = async (n: number) => {
        while (!isOver) {
          const event = { tenantId, type: 't.v1', streamKey: `s:${n}`, traceId: 'trace-0001' };
          published.push((await kernel.em.fork().transactional((em) => kernel.outbox.publish(event, { em }))).eventId);
        }
      };
      const publishers = Array.from({ length: 6 }, (_, n) => publisher(n));
      await waitFor(() => published.length > 100, 'publishers at work');
      const { partitions: dropped } = await round();
      isOver = true;
      await Promise.all(publishers);
      expect(dropped.map(({ outcome }) => outcome)).toEqual(Array(4).fill('dropped'));
      const stored = await rows('select event_id from kernel_outbox_event');
      expect(stored.map(({ event_id }) => event_id).sort()).toEqual([...published].sort());
      await settled('DELIVERED', published.length + 4);
    });

    it('drops each once when several processes come together', async () => {
      await start({ role: 'api' });
      const rounds = await Promise.all([round(), round(), round()]);
      const outcomes = rounds.flatMap((each) => each.partitions.map(({ outcome }) => outcome));
      expect(outcomes.filter((outcome) => outcome === 'dropped')).toHaveLength(4);
      expect(outcomes).not.toContain('locked');
      expect(await ledger('partition-dropped')).toHaveLength(4);
    });
  });

  describe('of what may still be sent', () => {
    it('[ADR-13] keeps dead letters with their envelopes: replayed, the same body goes out though the partition is gone', async () => {
      await start();
      receiver.answers(422);
      await endpoint();
      const eventId = await insertEvent({ payload: { total: 7, note: 'ä' } });
      await settled('DLQ');
      await ageDeliveries(kernel.database, OLD_DAYS - 1);

      const { partitions: dropped, deliveries } = await round();
      expect(dropped[0]).toMatchObject({ outcome: 'dropped', events: 1, retained: 1 });
      expect(deliveries).toEqual({ delivered: 0, deadLetters: 0, envelopes: 0 });
      expect(await rows('select event_id from kernel_outbox_event')).toEqual([]);

      const [deliveryId] = await deliveryIds();
      expect(await replay(deliveryId!)).toMatchObject({ kind: 'replayed' });
      await settled('DELIVERED');
      const [first, second] = receiver.received;
      expect(second!.raw.equals(first!.raw)).toBe(true);
      expect(second!.headers['webhook-id']).toBe(eventId);
    });

    it('[ADR-12] keeps what is parked: it goes out when its endpoint is enabled', async () => {
      await start();
      const { endpointId } = await endpoint();
      receiver.otherwise(500);
      await insertEvent();
      await receiver.receives(1);
      await kernel.database.query('update kernel_webhook_endpoint set is_enabled = false where endpoint_id = $1', [
        endpointId,
      ]);
      await waitFor(
        async () => (await rows('select from kernel_webhook_delivery where is_parked')).length === 1,
        'parking',
      );

      expect((await round()).partitions[0]).toMatchObject({ outcome: 'dropped', retained: 1 });
      receiver.otherwise(204);
      await kernel.database.query('update kernel_webhook_endpoint set is_enabled = true where endpoint_id = $1', [
        endpointId,
      ]);
      await kernel.database.query('update kernel_webhook_delivery set is_parked = false');
      await settled('DELIVERED');
    });

    it('[ADR-12] [ADR-13] keeps a blocked lane: the head is replayed, the others follow in order', async () => {
      await start();
      receiver.answers(422);
      await endpoint({ ordering: 'stream' });
      for (const sequence of [1, 2, 3]) {
        await insertEvent({ sequence, payload: { sequence } });
      }
      await settled('DLQ');
      await waitFor(async () => (await statuses()).length === 3, 'all to be routed');

      expect((await round()).partitions[0]).toMatchObject({ outcome: 'dropped', events: 3, retained: 3 });
      const [head] = await deliveryIds();
      await replay(head!);
      await settled('DELIVERED', 3);
      expect(receiver.received.map(({ body }) => body.payload)).toEqual([1, 1, 2, 3].map((sequence) => ({ sequence })));
    });

    it('refuses to replay what was delivered and is past its retention, whether its partition is gone or not', async () => {
      await start();
      await endpoint();
      await insertEvent();
      await settled('DELIVERED');
      const [deliveryId] = await deliveryIds();
      expect(await replay(deliveryId!)).toEqual({ kind: 'event-expired' });
      expect((await round()).partitions[0]).toMatchObject({ outcome: 'dropped', retained: 0 });
      expect(await replay(deliveryId!)).toEqual({ kind: 'event-expired' });
      expect(await statuses()).toEqual(['DELIVERED']);
    });
  });

  describe('of deliveries', () => {
    it('[ADR-12] removes those delivered long ago, a thousand at a time, each batch with its entry in the ledger', async () => {
      await start({ role: 'api' });
      const { endpointId } = await endpoint();
      const [young, unsettled] = [
        await insertPastDelivery(kernel.database, { tenantId, endpointId, status: 'DELIVERED', at: daysAgo(29) }),
        await insertPastDelivery(kernel.database, { tenantId, endpointId, status: 'FAILED', at: daysAgo(200) }),
      ];
      await kernel.database.query(
        `insert into kernel_webhook_delivery
           (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, dispatched_at, settled_at)
         select overlay($1::uuid::text placing lpad(to_hex(n), 8, '0') from 29)::uuid, $2, $3, gen_random_uuid(), 't.v1', 'DELIVERED',
           'trace-0001', $4, $4
         from generate_series(1, 2500) as n`,
        [uuidv7({ msecs: old().getTime() }), tenantId, endpointId, old()],
      );
      expect((await round()).deliveries).toEqual({ delivered: 2_500, deadLetters: 0, envelopes: 0 });
      expect((await deliveryIds()).sort()).toEqual([young, unsettled].sort());
      const entries = (await ledger('deliveries-pruned')) as { detail: { delivered: number } }[];
      expect(entries).toHaveLength(3);
      expect(entries.reduce((sum, { detail }) => sum + detail.delivered, 0)).toBe(2_500);
    });

    it('[ADR-12] keeps them as long as their event; in the default partition the age of the event decides', async () => {
      await start({ role: 'api', retention: { deliveryDays: 7 } });
      const { endpointId } = await endpoint();
      const insertDelivery = (eventId: string, days: number) =>
        insertPastDelivery(kernel.database, { tenantId, endpointId, eventId, status: 'DELIVERED', at: daysAgo(days) });
      const here = await insertEvent({ status: 'PUBLISHED', at: new Date(), createdAt: daysAgo(20) });
      const heldBack = await insertEvent({ status: 'PUBLISHED' });
      await insertEvent({ status: 'PENDING' });
      const random = await insertEvent({ status: 'PUBLISHED', eventId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' });
      const youngRandom = await insertEvent({
        status: 'PUBLISHED',
        eventId: 'f47ac10b-58cc-4372-a567-0e02b2c3d480',
        at: daysAgo(20),
      });
      const kept = [
        await insertDelivery(here, 20),
        await insertDelivery(heldBack, OLD_DAYS),
        await insertDelivery(youngRandom, 19),
      ];
      await insertDelivery(random, OLD_DAYS);
      expect((await round()).deliveries).toMatchObject({ delivered: 1 });
      expect((await deliveryIds()).sort()).toEqual(kept.sort());
    });

    it('[ADR-13] removes dead letters after their own, longer time, and then their envelopes; never one that blocks a lane', async () => {
      await start();
      receiver.otherwise(422);
      await endpoint();
      const { endpointId } = await endpoint({ ordering: 'stream' });
      await insertEvent({ sequence: 1 });
      await settled('DLQ', 2);
      await round();
      expect(await rows('select event_id from kernel_retained_event')).toHaveLength(1);

      await ageDeliveries(kernel.database, 100);
      await kernel.database.query(
        `update kernel_lane l set blocked_by = d.delivery_id from kernel_webhook_delivery d where d.lane_id = l.lane_id`,
      );
      expect((await round()).deliveries).toEqual({ delivered: 0, deadLetters: 1, envelopes: 0 });
      expect(await rows('select event_id from kernel_retained_event')).toHaveLength(1);

      await kernel.database.query(
        `update kernel_webhook_endpoint set deleted_at = now() - interval '2 days' where endpoint_id = $1`,
        [endpointId],
      );
      expect(await round()).toMatchObject({ lanes: 1, deliveries: { deadLetters: 1, envelopes: 1 } });
      expect(await ledger('lanes-pruned')).toEqual([{ actor: 'kernel', detail: { lanes: 1 } }]);
      expect(await rows('select event_id from kernel_retained_event')).toEqual([]);
      expect(await statuses()).toEqual([]);
    });
  });

  it('[KFM-10] refuses to change a retained envelope', async () => {
    await start();
    receiver.otherwise(422);
    await endpoint();
    await insertEvent();
    await settled('DLQ');
    await round();
    await expect(kernel.database.query(`update kernel_retained_event set payload_jsonb = '{}'`)).rejects.toThrow(
      'kernel_retained_event is immutable: UPDATE refused',
    );
  });
});
