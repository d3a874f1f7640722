import { type Kysely, sql } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { findBatchEnd, hashEntries } from '@kernel/ledger';

const ENTRIES = 100_000;
const LIMIT = 5_000;
/** Entry n was recorded n milliseconds after it. */
const START = '2026-03-01T00:00:00.000000Z';
const at = (n: number) => new Date(Date.parse(START) + n).toISOString().replace('Z', '000Z');
const YEAR = 365 * 86_400_000;

describe('a sealer that is far behind', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
    await kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       select gen_random_uuid(), 'published', 'trace-0001', 'test', $1::timestamptz + n * interval '1 millisecond'
       from generate_series(1, ${ENTRIES}) n`,
      [START],
    );
    await kernel.database.query(`select brin_summarize_new_values('kernel_ledger_entry_recorded_idx')`);
    await kernel.database.query('analyze kernel_ledger_entry');
  });
  afterAll(() => kernel.close());

  /** What the work returns, and how many entries the database has read for it. */
  const counting = <T>(work: (db: Kysely<unknown>) => Promise<T>) =>
    kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute(async (trx) => {
        await sql`set local max_parallel_workers_per_gather = 0`.execute(trx);
        // It holds what was not told elsewhere yet, of transactions before this one too.
        const readSoFar = async () => {
          const { rows } = await sql<{ read: number }>`
            select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as read from pg_stat_xact_user_tables
            where relname = 'kernel_ledger_entry'
          `.execute(trx);
          return rows[0]!.read;
        };
        const before = await readSoFar();
        const result = await work(trx);
        return { result, read: (await readSoFar()) - before };
      });

  it.each([0, 40_000, 90_000])(
    '[KER-1] finds the end of a batch without reading the backlog behind it, from entry %s on',
    async (n) => {
      const { result, read } = await counting((db) => findBatchEnd(db, at(n + 1), at(YEAR), LIMIT));
      expect(result).toBe(at(n + LIMIT + 1));
      expect(read).toBeGreaterThan(LIMIT);
      expect(read).toBeLessThan(8 * LIMIT);
      const sealing = await counting((db) => hashEntries(db, at(n + 1), result));
      expect(sealing.result.entryCount).toBe(LIMIT);
      expect(sealing.read).toBeLessThan(3 * LIMIT);
    },
  );

  it.each([
    ['before the first entry', '-infinity', at(10), 5, at(6)],
    ['a year before the first entry', at(-YEAR), at(YEAR), 5, at(6)],
    ['behind the last entry', at(ENTRIES + 1), at(YEAR), 5, at(YEAR)],
    ['where as many are left as there is room for', at(ENTRIES - 4), at(YEAR), 5, at(YEAR)],
    ['where one more is left', at(ENTRIES - 5), at(YEAR), 5, at(ENTRIES)],
    ['where the range ends before the room does', at(1), at(4), 5, at(4)],
    ['where there is nothing', at(YEAR), at(YEAR + 1), 5, at(YEAR + 1)],
  ])('[KER-1] walks over times without entries, and cuts exactly: %s', async (_, from, to, limit, end) => {
    expect(await findBatchEnd(kernel.em.fork().getKysely(), from, to, limit)).toBe(end);
  });

  it('[KER-1] keeps entries of one microsecond together, at the end of a second too', async () => {
    await kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       select gen_random_uuid(), 'published', 'trace-0001', 'test', '2020-01-01T00:00:59.999999Z'
       from generate_series(1, 20)`,
    );
    const end = await findBatchEnd(kernel.em.fork().getKysely(), '-infinity', at(0), 5);
    expect(end).toBe('2020-01-01T00:01:00.000000Z');
  });
});
