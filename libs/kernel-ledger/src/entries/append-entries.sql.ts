import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Statement } from '@kernel/runtime';
import type { LedgerEntry } from './ledger-entry.js';
import { LEDGER_COLUMNS, ledgerRows } from './ledger-rows.sql.js';

/** Appends entries in the caller's transaction: entry and state change commit or roll back together. */
export async function appendEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await insert(entries).execute(db);
  }
}

/** `appendEntries` as a compiled statement. */
export function appendEntriesStatement(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Statement {
  const { sql: text, parameters } = insert(entries).compile(db);
  return { text, values: parameters };
}

function insert(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  return sql`insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)}`;
}

/** Appends entries of a statement whose answer was lost; existing ones are skipped. */
export async function appendMissingEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await sql`${insert(entries)} on conflict do nothing`.execute(db);
  }
}
