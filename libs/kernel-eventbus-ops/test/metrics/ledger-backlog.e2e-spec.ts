import { type Kysely, sql } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { measureLedger } from '../../src/metrics/measure-ledger.sql.js';

const ENTRIES = 100_000;
const LIMIT = 5_000;
/** Entry n was recorded n milliseconds after it. */
const START = '2026-03-01T00:00:00.000000Z';
const at = (n: number) => new Date(Date.parse(START) + n).toISOString().replace('Z', '000Z');

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

  it.each([
    ['nothing is sealed', 0, 1],
    ['half of it is sealed', 50_000, 50_000],
  ])(
    'is seen by the age of the oldest entry that waits, without reading the rest, when %s',
    async (_when, sealed, n) => {
      if (sealed > 0) {
        await kernel.database.query(
          `insert into kernel_ledger_seal (batch_number, from_time, to_time, entry_count, entry_ids, entry_hashes, previous_seal, seal)
         values (1, '-infinity', $1, 0, '', '', '', '')`,
          [at(sealed)],
        );
      }
      const beganMs = Date.now();
      const { result, read } = await counting(measureLedger);
      const sinceMs = (nowMs: number) => nowMs - Date.parse(at(n));
      expect(result.unsealedSeconds * 1_000).toBeGreaterThanOrEqual(sinceMs(beganMs) - 1);
      expect(result.unsealedSeconds * 1_000).toBeLessThanOrEqual(sinceMs(Date.now()) + 1);
      expect(result.unverifiedSeconds === null).toBe(sealed === 0);
      expect(read).toBeLessThan(3 * LIMIT);
    },
  );
});
