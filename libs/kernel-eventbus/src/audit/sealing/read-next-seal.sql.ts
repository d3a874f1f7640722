import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';
import type { LedgerSeal } from './ledger-seal.js';

/** The first seal behind that number. */
export async function readNextSeal(db: Kysely<unknown>, afterNumber: number): Promise<LedgerSeal | undefined> {
  const { rows } = await sql<LedgerSeal>`
    select batch_number as "batchNumber", ${timeText('from_time')} as "fromTime", ${timeText('to_time')} as "toTime",
      entry_count as "entryCount", entry_ids as "entryIds", entry_hashes as "entryHashes",
      previous_seal as "previousSeal", seal
    from kernel_ledger_seal where batch_number > ${afterNumber}
    order by batch_number limit 1
  `.execute(db);
  return rows[0];
}
