import { sql, type Kysely } from 'kysely';

const SEAL_TURN = 310_122;

/**
 * One process at a time seals; the turn ends with the transaction, as that of the upkeep does. Entries are looked for at the end
 * of a table that only grows, where the planner's statistics never reach: whatever it thinks, it is not to read the whole.
 */
export async function takeSealTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${SEAL_TURN}) as mine, set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
  `.execute(trx);
  return rows[0]!.mine;
}
