import { sql, type Kysely } from 'kysely';

/**
 * Transactions that have written to the ledger, or are about to, and have not ended. Every insert holds this lock from before
 * it reads the clock until its entries are visible to all or gone.
 */
export async function findLedgerWriters(db: Kysely<unknown>): Promise<Set<string>> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'kernel_ledger_entry'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  return new Set(rows.map(({ writer }) => writer));
}
