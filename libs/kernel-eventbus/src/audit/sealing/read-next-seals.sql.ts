import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';
import type { LedgerSeal } from './ledger-seal.js';

/** The next seals behind that number: one at least, and no more than so many, nor another once so many entries are reached. */
export async function readNextSeals(
  db: Kysely<unknown>,
  afterNumber: number,
  { mostSeals, mostEntries }: { mostSeals: number; mostEntries: number },
): Promise<LedgerSeal[]> {
  const { rows } = await sql<LedgerSeal>`
    select batch_number as "batchNumber", ${timeText('from_time')} as "fromTime", ${timeText('to_time')} as "toTime",
      entry_count as "entryCount", entry_ids as "entryIds", entry_hashes as "entryHashes",
      previous_seal as "previousSeal", seal
    from (
      select *, sum(entry_count) over (order by batch_number) - entry_count as entries_before
      from (
        select * from kernel_ledger_seal where batch_number > ${afterNumber} order by batch_number limit ${mostSeals}
      ) next
    ) counted
    where entries_before = 0 or entries_before < ${mostEntries}
    order by batch_number
  `.execute(db);
  return rows;
}
