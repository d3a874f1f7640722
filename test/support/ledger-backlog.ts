import { type Kysely, sql } from 'kysely';
import { startKernelApp, type KernelApp } from './kernel-app.js';

export const ENTRIES = 100_000;
const START = '2026-03-01T00:00:00.000000Z';

/** Entry n was recorded n milliseconds after the start. */
export const recordedAt = (n: number) => new Date(Date.parse(START) + n).toISOString().replace('Z', '000Z');

/** An app with a ledger of 100,000 entries that nothing seals. */
export class LedgerBacklog {
  private constructor(readonly kernel: KernelApp) {}

  static async start(): Promise<LedgerBacklog> {
    const kernel = await startKernelApp({ role: 'api' });
    await kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       select gen_random_uuid(), 'published', 'trace-0001', 'test', $1::timestamptz + n * interval '1 millisecond'
       from generate_series(1, ${ENTRIES}) n`,
      [START],
    );
    await kernel.database.query(`select brin_summarize_new_values('kernel_ledger_entry_recorded_idx')`);
    await kernel.database.query('analyze kernel_ledger_entry');
    return new LedgerBacklog(kernel);
  }

  /** The result of the work, and the number of entries that PostgreSQL read for it. */
  countReads<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<{ result: T; read: number }> {
    const db = this.kernel.em.fork().getKysely<unknown>();
    return db.transaction().execute(async (trx) => {
      await sql`set local max_parallel_workers_per_gather = 0`.execute(trx);
      // Counts of earlier transactions stay in the view until they are flushed.
      const before = await readSoFar(trx);
      const result = await work(trx);
      return { result, read: (await readSoFar(trx)) - before };
    });
  }

  close(): Promise<void> {
    return this.kernel.close();
  }
}

async function readSoFar(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as read from pg_stat_xact_user_tables
    where relname = 'kernel_ledger_entry'
  `.execute(db);
  return rows[0]!.read;
}
