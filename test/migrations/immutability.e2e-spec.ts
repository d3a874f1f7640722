import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { readColumns } from './catalog.js';

describe('what the database refuses', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
       values ($1, $2, 'invoice:1', 'invoice.created.v1', now(), 'trace-0001', '{"total": 5}', 'hash')`,
      // Outside of the partition added later.
      ['10000000-0000-4000-8000-000000000001', randomUUID()],
    );
    await database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor) values ($1, 'published', 'trace-0001', 'test')`,
      [randomUUID()],
    );
  });
  afterAll(() => database.drop());

  const read = (table: string) => database.query(`select * from ${table}`);

  describe.each(['kernel_outbox_event', 'kernel_outbox_event_default'])('%s', (table) => {
    it('[KFM-10] refuses to overwrite any column of the envelope', async () => {
      const before = await read(table);
      const columns = Object.keys(await readColumns(database, table));
      const envelope = columns.filter((column) => !['status', 'published_at'].includes(column));
      expect(envelope).toContain('payload_jsonb');
      for (const column of envelope) {
        // A column set to itself is still a write in place.
        await expect(database.query(`update ${table} set ${column} = ${column}`)).rejects.toThrow(
          'kernel_outbox_event is immutable: UPDATE refused',
        );
      }
      await expect(database.query(`update ${table} set payload_jsonb = '{}', status = 'PUBLISHED'`)).rejects.toThrow(
        'UPDATE refused',
      );
      expect(await read(table)).toEqual(before);
    });

    it.each([
      ['delete', 'DELETE', `delete from ${table}`],
      ['truncate', 'TRUNCATE', `truncate ${table}`],
    ])('[KFM-10] refuses to %s', async (_what, operation, sql) => {
      const before = await read(table);
      await expect(database.query(sql)).rejects.toThrow(`kernel_outbox_event is immutable: ${operation} refused`);
      expect(await read(table)).toEqual(before);
    });

    it('lets an event be marked as published', async () => {
      await database.query(`update ${table} set status = 'PUBLISHED', published_at = now()`);
      expect(await read(table)).toMatchObject([{ status: 'PUBLISHED' }]);
    });
  });

  it('[KFM-10] gives a partition that is added later the same row triggers', async () => {
    await database.query(
      `create table kernel_outbox_event_later partition of kernel_outbox_event
         for values from ('f0000000-0000-0000-0000-000000000000') to ('f1000000-0000-0000-0000-000000000000')`,
    );
    await database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
       values ('f0000000-0000-4000-8000-000000000001', $1, 's', 't', now(), 'trace-0002', '{}', 'hash')`,
      [randomUUID()],
    );
    await expect(database.query(`delete from kernel_outbox_event_later`)).rejects.toThrow('DELETE refused');
    await expect(database.query(`update kernel_outbox_event_later set type = 'x'`)).rejects.toThrow('UPDATE refused');
    await database.query('drop table kernel_outbox_event_later');
  });

  it.each([
    ['update', 'UPDATE', `update kernel_ledger_entry set reason = 'rewritten'`],
    ['delete', 'DELETE', 'delete from kernel_ledger_entry'],
    ['truncate', 'TRUNCATE', 'truncate kernel_ledger_entry'],
  ])('[KER-1] the ledger refuses to %s an entry', async (_what, operation, sql) => {
    const before = await read('kernel_ledger_entry');
    expect(before).toHaveLength(1);
    await expect(database.query(sql)).rejects.toThrow(`kernel_ledger_entry is append-only: ${operation} refused`);
    expect(await read('kernel_ledger_entry')).toEqual(before);
  });
});
