import { sql, type Kysely } from 'kysely';
import type { LedgerEntry } from './ledger-entry.js';
import { LEDGER_COLUMNS, ledgerRows } from './ledger-rows.sql.js';

/** Appends facts in the caller's transaction, so that fact and state change stand or fall together. */
export async function appendEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await sql`insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)}`.execute(db);
  }
}

/** The same for what may have been appended by a statement whose answer was lost. */
export async function appendMissingEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await sql`
      insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)} on conflict do nothing
    `.execute(db);
  }
}
