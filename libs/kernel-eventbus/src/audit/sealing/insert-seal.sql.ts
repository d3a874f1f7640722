import { sql, type Kysely } from 'kysely';
import type { LedgerHead, LedgerSeal } from './ledger-seal.js';

/** Appends a seal and moves the head on to it. */
export async function insertSeal(trx: Kysely<unknown>, seal: LedgerSeal, head: LedgerHead): Promise<void> {
  await sql`
    with inserted as (
      insert into kernel_ledger_seal (
        batch_number, from_time, to_time, entry_count, entry_ids, entry_hashes, previous_seal, seal
      )
      values (
        ${seal.batchNumber}, ${seal.fromTime}::timestamptz, ${seal.toTime}::timestamptz, ${seal.entryCount},
        ${seal.entryIds}, ${seal.entryHashes}, ${seal.previousSeal}, ${seal.seal}
      )
    )
    insert into kernel_ledger_head (batch_number, seal, signature)
    values (${head.batchNumber}, ${head.seal}, ${head.signature})
    on conflict (is_head) do update
    set batch_number = excluded.batch_number, seal = excluded.seal, signature = excluded.signature
  `.execute(trx);
}
