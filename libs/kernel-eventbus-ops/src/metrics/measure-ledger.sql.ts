import { sql, type Kysely } from 'kysely';

export interface LedgerAges {
  /** Age of the oldest unsealed entry; 0 if there is none. */
  unsealedSeconds: number;
  /**
   * Time since a verification last reached the end of the chain, or since the first seal; null if nothing is sealed.
   */
  unverifiedSeconds: number | null;
}

/** Entries are stored almost in the order of recording, so the oldest are among the first rows. */
const MAX_LOOKED_AT = 1_000;

const SETTINGS = sql`
  select set_config('statement_timeout', '5000', true), set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true)
`;

/**
 * Needs its own transaction for its settings. Entries after the last seal are found by the ledger's BRIN index, which
 * the settings force. `verifiedAt` comes from a state whose signature was checked: the column alone proves nothing.
 */
export async function measureLedger(trx: Kysely<unknown>, verifiedAt: string | null): Promise<LedgerAges> {
  await SETTINGS.execute(trx);
  const { rows } = await sql<LedgerAges>`
    select coalesce(extract(epoch from clock_timestamp() - min(tail.recorded_at)), 0)::float8 as "unsealedSeconds",
      extract(epoch from clock_timestamp() - coalesce(
        ${verifiedAt}::timestamptz,
        (select sealed_at from kernel_ledger_seal order by batch_number limit 1)
      ))::float8 as "unverifiedSeconds"
    from (
      select recorded_at from kernel_ledger_entry
      where recorded_at >= coalesce(
        (select to_time from kernel_ledger_seal order by batch_number desc limit 1), '-infinity'
      ) and isfinite(recorded_at)
      limit ${MAX_LOOKED_AT}
    ) tail
  `.execute(trx);
  return rows[0]!;
}
