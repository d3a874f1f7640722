import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Statement } from '../runtime/hot-statement.js';
import type { LedgerEntry } from './ledger-entry.js';
import { LEDGER_COLUMNS, ledgerRows } from './ledger-rows.sql.js';

/** Appends facts in the caller's transaction, so that fact and state change stand or fall together. */
export async function appendEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await insert(entries).execute(db);
  }
}

/** The same as a statement to be sent. */
export function appendEntriesStatement(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Statement {
  const { sql: text, parameters } = insert(entries).compile(db);
  return { text, values: parameters };
}

function insert(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  return sql`insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)}`;
}

/** The same for what may have been appended by a statement whose answer was lost. */
export async function appendMissingEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await sql`${insert(entries)} on conflict do nothing`.execute(db);
  }
}
