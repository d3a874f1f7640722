import { randomUUID } from 'node:crypto';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { RetentionKeeper } from '../../src/upkeep/retention-keeper.js';
import { daysAgo, insertPastDelivery, insertPastEvent, startAt, type PastEvent } from '@kernel/test-support/past';

const OLD_DAYS = 60;
const tenantId = randomUUID();

interface Case {
  event?: Partial<PastEvent>;
  delivery?: { status: string; days: number };
  laneId?: string;
}

describe('retention of what lies in the default partition', () => {
  let kernel: KernelApp;
  let endpointId: string;
  beforeAll(async () => {
    ({ kernel } = await startAt(new Date(), { role: 'api' }));
    ({ endpointId } = await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:1', types: ['t.v1'] }));
  });
  afterAll(() => kernel.close());
  afterEach(() =>
    kernel.database.query(
      `begin; set local session_replication_role = replica; delete from kernel_outbox_event_default;
       delete from kernel_webhook_delivery; delete from kernel_lane; commit`,
    ),
  );

  const round = (order = {}) => kernel.app.get(RetentionKeeper).round(undefined, order);
  const rows = <Row extends object>(sql: string, values?: unknown[]) => kernel.database.query<Row>(sql, values);
  const exists = async (eventId: string) =>
    (await rows('select from kernel_outbox_event where event_id = $1', [eventId])).length > 0;
  /** With an id that contains no time. */
  const insert = async ({ event = {}, delivery, laneId }: Case = {}) => {
    const past = { tenantId, eventId: randomUUID(), at: daysAgo(OLD_DAYS), status: 'PUBLISHED' as const, ...event };
    const eventId = await insertPastEvent(kernel.database, past);
    const deliveryId =
      delivery &&
      (await insertPastDelivery(kernel.database, {
        ...{ tenantId, endpointId, eventId, laneId, status: delivery.status, at: daysAgo(delivery.days) },
      }));
    return { eventId, deliveryId };
  };
  const insertMany = (count: number, days: number) =>
    rows<{ event_id: string }>(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at)
       select gen_random_uuid(), $1, 's', 't.v1', $2, 'trace-0001', '{}', 'hash', 'PUBLISHED', $2 from generate_series(1, $3)
       returning event_id`,
      [tenantId, daysAgo(days), count],
    );
  const entries = () =>
    rows<{ actor: string; detail: { events: number } }>(
      `select actor, detail from kernel_ledger_entry where kind = 'events-pruned' order by recorded_at`,
    );

  it.each<[string, Case]>([
    ['went to nobody', {}],
    ['was delivered long ago', { delivery: { status: 'DELIVERED', days: OLD_DAYS } }],
    ['was delivered lately', { delivery: { status: 'DELIVERED', days: 2 } }],
    [
      'is a dead letter whose own time is over',
      { delivery: { status: 'DLQ', days: 100 }, event: { at: daysAgo(101) } },
    ],
  ])('[ADR-12] removes an event that is old enough and %s', async (_what, one) => {
    const { eventId, deliveryId } = await insert(one);
    expect(await round()).toMatchObject({ defaultEvents: 1, isComplete: true });
    expect(await exists(eventId)).toBe(false);
    const left = await rows('select from kernel_webhook_delivery where delivery_id = $1', [deliveryId ?? null]);
    expect(left).toHaveLength(one.delivery?.days === 2 ? 1 : 0);
  });

  it.each<[string, Case]>([
    ['is pending', { event: { status: 'PENDING' } }],
    ['is not old enough', { event: { at: daysAgo(29) } }],
    ['waits for its delivery', { delivery: { status: 'PENDING', days: OLD_DAYS } }],
    ['waits for its next attempt', { delivery: { status: 'FAILED', days: OLD_DAYS } }],
    ['is a dead letter', { delivery: { status: 'DLQ', days: OLD_DAYS } }],
  ])('[ADR-12] [ADR-13] keeps an event that %s', async (_what, one) => {
    const { eventId } = await insert(one);
    expect(await round()).toMatchObject({ defaultEvents: 0 });
    expect(await exists(eventId)).toBe(true);
  });

  it('[ADR-13] keeps the dead letter that blocks a lane, and its event with it; a dead letter can be replayed', async () => {
    const laneId = randomUUID();
    const { eventId, deliveryId } = await insert({ delivery: { status: 'DLQ', days: 100 }, laneId });
    await rows(
      `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, blocked_by, blocked_at)
       values ($1, $2, $3, 's', 1, $4, now())`,
      [laneId, tenantId, endpointId, deliveryId],
    );
    expect(await round()).toMatchObject({ defaultEvents: 0, deliveries: { deadLetters: 0 } });
    expect(await exists(eventId)).toBe(true);
    const replay = { deliveryId: deliveryId!, actor: 'operator:ada', reason: 'repaired' };
    expect(await kernel.app.get(DeliveryReplay).replay(replay)).toMatchObject({ kind: 'replayed' });
  });

  it('[ADR-12] says in the ledger what each batch removed, and for whom', async () => {
    const before = (await entries()).length;
    await insertMany(2_500, OLD_DAYS);
    expect(await round({ actor: 'operator:ada' })).toMatchObject({ defaultEvents: 2_500 });
    const added = (await entries()).slice(before);
    expect(added.map(({ actor }) => actor)).toEqual(Array(3).fill('operator:ada'));
    expect(added.map(({ detail }) => detail)).toEqual([1_000, 1_000, 500].map((events) => ({ events })));
  });

  it('goes on where it had to stop: what is kept at the beginning holds nothing up that comes later', async () => {
    const kept = await insertMany(1_000, OLD_DAYS);
    await rows(
      `insert into kernel_webhook_delivery
         (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, dispatched_at)
       select overlay(event_id::text placing 'ffffffff' from 1)::uuid, $1, $2, event_id, 't.v1', 'FAILED', 'trace-0001', now() from unnest($3::uuid[]) as e (event_id)`,
      [tenantId, endpointId, kept.map(({ event_id }) => event_id)],
    );
    const { eventId } = await insert({ event: { at: daysAgo(OLD_DAYS - 1) } });
    const bounded = { maxBatches: 1 };
    expect(await round(bounded)).toMatchObject({ defaultEvents: 0, isComplete: false });
    expect(await round(bounded)).toMatchObject({ defaultEvents: 1, isComplete: false });
    expect(await round(bounded)).toMatchObject({ defaultEvents: 0, isComplete: true });
    expect(await exists(eventId)).toBe(false);
    expect(await exists(kept[0]!.event_id)).toBe(true);
  });

  it('[KFM-10] is the one way out: a delete is refused as ever, also of what is settled and old', async () => {
    const { eventId } = await insert();
    await expect(rows('delete from kernel_outbox_event where event_id = $1', [eventId])).rejects.toThrow(
      'DELETE refused',
    );
    expect(await exists(eventId)).toBe(true);
  });
});
