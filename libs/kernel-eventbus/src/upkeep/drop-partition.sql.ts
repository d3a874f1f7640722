import { sql, type Kysely } from 'kysely';
import type { LedgerEntry } from '../audit/ledger-entry.js';
import { LEDGER_COLUMNS, ledgerRows } from '../audit/ledger-rows.sql.js';

const UNDEFINED_TABLE = '42P01';

/** `busy`: another process has its turn. `needed`: an event in it is pending or young. */
export type DropOutcome = 'dropped' | 'absent' | 'busy' | 'needed';

/**
 * See `kernel_drop_outbox_partition` in the migrations. One statement with its ledger entry, so that the lock on the outbox
 * never waits for this process. Fails with 55P03 when it would have to wait for its locks.
 */
export async function dropPartition(
  db: Kysely<unknown>,
  name: string,
  createdBeforeMs: number,
  entry: LedgerEntry,
): Promise<DropOutcome> {
  const { rows } = await sql<{ outcome: DropOutcome }>`
    with tried as materialized (
      select kernel_drop_outbox_partition(${name}, to_timestamp(${createdBeforeMs}::float8 / 1000)) as outcome
    ), noted as (
      insert into kernel_ledger_entry (${LEDGER_COLUMNS})
      select l.* from ${ledgerRows([entry])} cross join tried where tried.outcome = 'dropped'
    )
    select outcome from tried
  `
    .execute(db)
    .catch(busyIfVanished);
  return rows[0]!.outcome;
}

/** Another process dropped it between two looks of the function; the next look finds it absent. */
function busyIfVanished(error: unknown): { rows: { outcome: DropOutcome }[] } {
  if ((error as { code?: string }).code === UNDEFINED_TABLE) {
    return { rows: [{ outcome: 'busy' }] };
  }
  throw error;
}
