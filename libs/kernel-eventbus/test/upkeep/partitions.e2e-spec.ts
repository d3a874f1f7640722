import { randomBytes, randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Random } from '@kernel/runtime';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { SchedulerRegistry } from '@nestjs/schedule';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { KernelApp, KernelAppOptions } from '@kernel/test-support/kernel-app';
import { listPartitions, makePartition } from '../../src/upkeep/partitions.sql.js';
import { LockPatience } from '../../src/upkeep/lock-patience.js';
import { PartitionKeeper } from '../../src/upkeep/partition-keeper.js';
import { partitionName } from '../../src/envelope/partition-range.js';
import { DAY_MS, daysAgo, startAt, type SetClock } from '@kernel/test-support/past';

const HOUR_MS = 3_600_000;
const tenantId = randomUUID();
const dayOf = (time: Date) => partitionName({ fromMs: Math.floor(time.getTime() / DAY_MS) * DAY_MS, toMs: 0 });

describe('partitions of the outbox', () => {
  let kernel: KernelApp;
  let clock: SetClock;
  afterEach(() => kernel.close());
  const start = async (time: Date, options?: KernelAppOptions) => ({ kernel, clock } = await startAt(time, options));

  const db = () => kernel.em.fork().getKysely<unknown>();
  const keeper = () => kernel.app.get(PartitionKeeper);
  const publish = (eventId?: string, { maxLockWaitMs = 0 } = {}) =>
    kernel.em.fork().transactional(async (em) => {
      await em.execute(`set local lock_timeout = ${maxLockWaitMs}`);
      return kernel.outbox.publish(
        { tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001', eventId, payload: { n: 1 } },
        { em },
      );
    });
  const partitionOf = async (eventId: string) =>
    (
      await kernel.database.query<{ name: string }>(
        'select tableoid::regclass::text as name from kernel_outbox_event where event_id = $1',
        [eventId],
      )
    )[0]?.name;

  it.each(['api', 'worker', 'all'] as const)(
    '[ADR-12] exist for today and three days ahead once the app (%s) is ready',
    async (role) => {
      const now = new Date();
      await start(now, { role });
      const names = (await keeper().list()).map(({ name }) => name);
      expect(names).toEqual([0, 1, 2, 3].map((n) => dayOf(new Date(now.getTime() + n * DAY_MS))));
    },
  );

  it('[ADR-12] follow the options, from hour to hour', async () => {
    const now = new Date('2026-11-16T10:20:00Z');
    await start(now, { role: 'api', partitions: { intervalHours: 2, aheadCount: 1 } });
    const names = (await keeper().list()).map(({ name }) => name);
    expect(names).toEqual(['kernel_outbox_event_p20261116_10', 'kernel_outbox_event_p20261116_12']);
    clock.time = new Date(now.getTime() + 3 * HOUR_MS);
    expect(await keeper().round()).toMatchObject([
      { name: 'kernel_outbox_event_p20261116_14', outcome: 'made', moved: 0 },
    ]);
  });

  it('[ADR-12] hold the events of their day; an id that tells no time lies in the default partition', async () => {
    const now = new Date();
    await start(now, { role: 'api' });
    const { eventId: today } = await publish();
    const { eventId: tomorrow } = await publish(uuidv7({ msecs: now.getTime() + DAY_MS }));
    const { eventId: random } = await publish('f47ac10b-58cc-4372-a567-0e02b2c3d479');
    expect(await partitionOf(today)).toBe(dayOf(now));
    expect(await partitionOf(tomorrow)).toBe(dayOf(new Date(now.getTime() + DAY_MS)));
    expect(await partitionOf(random)).toBe('kernel_outbox_event_default');
  });

  it('[KFM-10] refuse to change, delete or truncate, as the whole table does', async () => {
    const now = new Date();
    await start(now, { role: 'api' });
    await publish();
    for (const table of [dayOf(now), 'kernel_outbox_event']) {
      await expect(kernel.database.query(`update ${table} set payload_jsonb = '{}'`)).rejects.toThrow('UPDATE refused');
      await expect(kernel.database.query(`delete from ${table}`)).rejects.toThrow('DELETE refused');
      await expect(kernel.database.query(`truncate ${table}`)).rejects.toThrow('TRUNCATE refused');
    }
  });

  it('[ADR-12] [KFM-10] take over what lies in the default partition, unchanged, and leave that as guarded as before', async () => {
    await start(daysAgo(40), { role: 'api' });
    const { eventId } = await publish();
    const { eventId: random } = await publish('f47ac10b-58cc-4372-a567-0e02b2c3d479');
    expect(await partitionOf(eventId)).toBe('kernel_outbox_event_default');
    const read = () => kernel.database.query('select * from kernel_outbox_event order by event_id');
    const before = await read();

    clock.time = new Date();
    const [first, ...ahead] = await keeper().round();
    expect(first).toMatchObject({ outcome: 'made', moved: 1 });
    expect(ahead).toMatchObject(Array(3).fill({ outcome: 'made', moved: 0 }));

    expect(await partitionOf(eventId)).toBe(dayOf(new Date()));
    expect(await partitionOf(random)).toBe('kernel_outbox_event_default');
    expect(await read()).toEqual(before);
    await expect(kernel.database.query('delete from kernel_outbox_event_default')).rejects.toThrow('DELETE refused');
  });

  it('are not made where thousands of rows would have to move while publishers wait', async () => {
    await start(daysAgo(40), { role: 'api' });
    await kernel.database.query(
      `insert into kernel_outbox_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
       select overlay($1::uuid::text placing lpad(to_hex(n), 8, '0') from 29)::uuid, $2, 's', 't.v1', now(), 'trace-0001', '{}', 'hash'
       from generate_series(1, 10001) as n`,
      [uuidv7(), tenantId],
    );
    clock.time = new Date();
    expect((await keeper().round()).map(({ outcome }) => outcome)).toEqual(['crowded', 'made', 'made', 'made']);
    expect(await partitionOf((await publish()).eventId)).toBe('kernel_outbox_event_default');
  });

  it('are made once when several processes come together', async () => {
    await start(daysAgo(40), { role: 'api' });
    clock.time = new Date();
    const rounds = await Promise.all(Array.from({ length: 4 }, () => keeper().round()));
    expect(rounds.flat().filter(({ outcome }) => outcome === 'made')).toHaveLength(4);
    expect(rounds.flat().filter(({ outcome }) => outcome === 'locked')).toEqual([]);
  });

  it('wait for nobody: while a long transaction reads the outbox, publishing goes on and the round gives up', async () => {
    await start(daysAgo(40), { role: 'api' });
    jest.spyOn(kernel.app.get(Random), 'fraction').mockReturnValue(0);
    const reader = new pg.Client({ connectionString: kernel.database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select count(*) from kernel_outbox_event');

    clock.time = new Date();
    let isOver = false;
    const round = keeper()
      .round()
      .finally(() => (isOver = true));
    let published = 0;
    while (!isOver) {
      // The round waits for its lock for at most 200 ms. The server measures how long a publisher queues behind it.
      // None of the ids belongs to the missing partition, which could not be created after some thousands of rows.
      await publish(randomUUID(), { maxLockWaitMs: 1_000 });
      published++;
    }
    expect(await round).toMatchObject([{ outcome: 'locked' }]);
    expect(published).toBeGreaterThan(10);

    await reader.query('rollback');
    await reader.end();
    expect((await keeper().round()).map(({ outcome }) => outcome)).toEqual(['made', 'made', 'made', 'made']);
  });

  it('need no more than the right to execute: the role of the app neither owns nor deletes', async () => {
    await start(new Date(), { role: 'api' });
    const role = `app_${randomBytes(4).toString('hex')}`;
    await kernel.database.query(`
      create role ${role};
      grant select, insert, update on kernel_outbox_event to ${role};
      grant execute on function kernel_make_outbox_partition to ${role};
    `);
    const asApp = (sql: string) => kernel.database.query(`set role ${role}; ${sql}; reset role`);
    const range = `'019a0000-0000-0000-0000-000000000000', '019a1000-0000-0000-0000-000000000000', 10, false`;
    try {
      await asApp(`select kernel_make_outbox_partition('kernel_outbox_event_p20251020_00', ${range})`);
      expect((await keeper().list()).map(({ name }) => name)).toContain('kernel_outbox_event_p20251020_00');
      const refused = async (sql: string, message: string) => {
        await expect(asApp(sql)).rejects.toThrow(message);
        await kernel.database.query('reset role');
      };
      await refused(`drop table kernel_outbox_event_p20251020_00`, 'must be owner');
      await refused(
        `select kernel_drop_outbox_partition('kernel_outbox_event_p20251020_00', now())`,
        'permission denied',
      );
      await refused(
        `select kernel_make_outbox_partition('kernel_webhook_endpoint', ${range})`,
        'no name of an outbox partition',
      );
    } finally {
      await kernel.database.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('[ADR-12] are looked after by scheduled jobs, in workers only', async () => {
    await start(daysAgo(40), { upkeepIntervalMs: 50 });
    const timeouts = () =>
      kernel.app.get(SchedulerRegistry, { each: true, strict: false }).flatMap((jobs) => jobs.getTimeouts());
    expect(timeouts()).toEqual(expect.arrayContaining(['kernel-eventbus-partitions', 'kernel-eventbus-retention']));
    clock.time = new Date();
    await waitFor(
      async () => (await listPartitions(db())).partitions.some(({ name }) => name === dayOf(clock.time)),
      'the partition of today',
    );
    // Forty days old and empty.
    await waitFor(
      async () => (await listPartitions(db())).partitions.every(({ name }) => name >= dayOf(daysAgo(32))),
      'the old partitions to go',
    );
    await kernel.close();

    await start(new Date(), { role: 'api' });
    expect(timeouts().filter((name) => /partitions|retention/.test(name))).toEqual([]);
  });
});

describe('publishing while partitions come', () => {
  it('[ADR-12] no publish fails and no event is lost, though their rows are moved and their partitions made', async () => {
    const { kernel, clock } = await startAt(daysAgo(40), { polling: { minIntervalMs: 20, maxIntervalMs: 50 } });
    const receiver = await WebhookReceiver.start();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    const hours = 8;
    const firstMs = Math.floor(daysAgo(5).getTime() / HOUR_MS) * HOUR_MS;
    let isOver = false;
    const published: string[] = [];
    const publisher = async (n: number) => {
      for (let k = 0; !isOver; k++) {
        // Half of the events have explicit ids in the hours whose partitions are created; the others are published now.
        const eventId = n % 2 ? uuidv7({ msecs: firstMs + (k % hours) * HOUR_MS + k }) : undefined;
        await kernel.em.fork().transactional(async (em) => {
          const event = { tenantId, type: 't.v1', streamKey: `s:${n}`, traceId: 'trace-0001', eventId };
          published.push((await kernel.outbox.publish(event, { em })).eventId);
        });
      }
    };
    try {
      const publishers = Array.from({ length: 6 }, (_, n) => publisher(n));
      await waitFor(() => published.length > 100, 'publishers at work');
      const db = kernel.em.fork().getKysely<unknown>();
      let moved = 0;
      for (let hour = 0; hour < hours; hour++) {
        const range = { fromMs: firstMs + hour * HOUR_MS, toMs: firstMs + (hour + 1) * HOUR_MS };
        const makeInTurn = () =>
          kernel.app.get(LockPatience).try(async (tries) => {
            const made = await makePartition(db, range, { locksReaders: tries % 2 === 0 });
            return made.outcome === 'busy' ? 'busy' : made;
          });
        const result = await waitFor(makeInTurn, 'a turn with the lock');
        expect(result).toMatchObject({ outcome: 'made' });
        moved += result.moved;
        const count = published.length;
        await waitFor(() => published.length > count + 50, 'publishers to go on');
      }
      expect(moved).toBeGreaterThan(hours);
      clock.time = new Date();
      const today = await waitFor(async () => {
        const [first] = await kernel.app.get(PartitionKeeper).round();
        return first!.outcome !== 'locked' && first;
      }, 'a turn with the lock');
      expect(today).toMatchObject({ outcome: 'made' });
      expect(today.moved).toBeGreaterThan(0);
      isOver = true;
      await Promise.all(publishers);

      const stored = await kernel.database.query<{ event_id: string }>('select event_id from kernel_outbox_event');
      expect(stored.map(({ event_id }) => event_id).sort()).toEqual([...published].sort());
      await waitFor(
        async () =>
          (await kernel.database.query(`select from kernel_webhook_delivery where status = 'DELIVERED'`)).length ===
          published.length,
        'every event to be delivered',
      );
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(published.length);
      const [left] = await kernel.database.query<{ count: number }>(
        'select count(*)::int from kernel_outbox_event_default',
      );
      expect(left!.count).toBe(0);
    } finally {
      isOver = true;
      await kernel.close();
      await receiver.stop();
    }
  });
});
