import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

describe('[KFM-10] the app cannot erase the outbox by way of its partitions:', () => {
  const own = randomUUID();
  let database: TestDatabase;
  let app: pg.Client;
  const [from, to] = ['019a0000-0000-0000-0000-000000000000', '019a1000-0000-0000-0000-000000000000'];
  const partition = 'kernel_outbox_event_p20251020_05';
  const make = (name: string, start: string, end: string) =>
    app.query(`select outcome from kernel_make_outbox_partition($1, $2, $3, 1000, false)`, [name, start, end]);
  const drop = async (name: string, createdBefore: string | null) =>
    (
      await app.query<{ outcome: string }>(`select kernel_drop_outbox_partition($1, $2) as outcome`, [
        name,
        createdBefore,
      ])
    ).rows[0]!.outcome;
  const insert = (eventId: string, createdAt: string) =>
    app.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at)
       values ($1, $2, 's', 't.v1', now(), 'trace-0001', '{}', 'hash', 'PUBLISHED', now() - $3::interval)`,
      [eventId, own, createdAt],
    );
  const count = async (name: string) =>
    (await database.query<{ count: number }>(`select count(*)::int from ${name}`))[0]!.count;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    await make(partition, from, to);
  });
  afterAll(async () => {
    await app.end();
    await database.drop();
  });

  it.each(['infinity', null])(
    'what is young stays, though everything is to go that was created before %s',
    async (time) => {
      await insert(from.replace(/0000$/, time ? '0001' : '0002'), '23 hours');
      expect(await drop(partition, time)).toBe('needed');
      expect(await count(partition)).toBeGreaterThan(0);
    },
  );

  it('what is young stays, in the range of an old partition that is made around it', async () => {
    const eventId = '01900000-0000-0000-0000-000000000001';
    await insert(eventId, '1 minute');
    await make('kernel_outbox_event_p20240609_00', eventId, '01901000-0000-0000-0000-000000000000');
    expect(await count('kernel_outbox_event_p20240609_00')).toBe(1);
    expect(await drop('kernel_outbox_event_p20240609_00', 'infinity')).toBe('needed');
    expect(await count('kernel_outbox_event_p20240609_00')).toBe(1);
  });

  it('a range that is not over yet stays', async () => {
    const start = Date.now().toString(16).padStart(12, '0');
    const id = (prefix: string) => `${prefix.slice(0, 8)}-${prefix.slice(8)}-0000-0000-000000000000`;
    await make('kernel_outbox_event_p20990101_00', id(start), id((Date.now() + 60_000).toString(16).padStart(12, '0')));
    expect(await drop('kernel_outbox_event_p20990101_00', 'infinity')).toBe('needed');
  });

  it('no range takes in more than a year', async () => {
    const all = make(
      'kernel_outbox_event_p19700101_00',
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    );
    await expect(all).rejects.toMatchObject({ code: '22023' });
  });

  it('what a delivery still needs stays until its envelope is retained, and goes with it', async () => {
    const name = 'kernel_outbox_event_p20250101_00';
    const eventId = '01942000-0000-0000-0000-000000000001';
    await make(name, '01942000-0000-0000-0000-000000000000', '01943000-0000-0000-0000-000000000000');
    await insert(eventId, '25 hours');
    await app.query(
      `insert into kernel_webhook_delivery
         (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at, status)
       values (gen_random_uuid(), $1, $1, $2, 't.v1', 'trace-0001', now(), 'DLQ')`,
      [own, eventId],
    );
    expect(await drop(name, 'infinity')).toBe('needed');
    await app.query(
      `insert into kernel_retained_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb,
         payload_hash, attributes, created_at)
       select event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, attributes, created_at
       from kernel_outbox_event where event_id = $1`,
      [eventId],
    );
    expect(await drop(name, 'infinity')).toBe('dropped');
  });

  describe('what lies in the default partition', () => {
    const prune = async () =>
      (
        await app.query<{ pruned: number }>(
          `select pruned from kernel_prune_default_partition('infinity', '-infinity', '${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}', 1000)`,
        )
      ).rows[0]!.pruned;
    const young = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
    const old = 'f47ac10b-58cc-4372-a567-0e02b2c3d480';

    it('stays while it is young, or a delivery of it is not delivered; the rest goes', async () => {
      await insert(young, '23 hours');
      await insert(old, '25 hours');
      await app.query(
        `insert into kernel_webhook_delivery
           (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at, status)
         values (gen_random_uuid(), $1, $1, $2, 't.v1', 'trace-0001', now(), 'DLQ')`,
        [own, old],
      );
      expect(await prune()).toBe(0);
      await app.query(`update kernel_webhook_delivery set status = 'DELIVERED' where event_id = $1`, [old]);
      expect(await prune()).toBe(1);
      expect(await database.query('select event_id from kernel_outbox_event_default')).toEqual([{ event_id: young }]);
    });

    it('cannot be deleted by anybody else, though he says the word that the function says', async () => {
      await insert(old, '25 hours');
      const said = `select set_config('kernel.prunes_settled', 'on', false)`;
      await app.query(said);
      await expect(app.query('delete from kernel_outbox_event_default')).rejects.toMatchObject({ code: '42501' });
      await expect(
        database.query(`begin; ${said}; delete from kernel_outbox_event_default where event_id = '${young}'`),
      ).rejects.toThrow('DELETE refused');
      await database.query('rollback');
      await expect(database.query('delete from kernel_outbox_event_default')).rejects.toThrow('DELETE refused');
      expect(await count('kernel_outbox_event_default')).toBe(2);
    });
  });

  it('the owner can ask for more', async () => {
    const setAge = (days: number) =>
      database.query(
        `create or replace function kernel_least_event_age() returns interval language sql stable as 'select interval ''${days} days'''`,
      );
    const name = 'kernel_outbox_event_p20250201_00';
    await make(name, '0194b000-0000-0000-0000-000000000000', '0194c000-0000-0000-0000-000000000000');
    await insert('0194b000-0000-0000-0000-000000000001', '29 days');
    await setAge(30);
    expect(await drop(name, 'infinity')).toBe('needed');
    await setAge(1);
    expect(await drop(name, 'infinity')).toBe('dropped');
  });
});
