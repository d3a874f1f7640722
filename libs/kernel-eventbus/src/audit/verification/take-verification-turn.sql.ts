import { sql, type Kysely } from 'kysely';

const VERIFICATION_TURN = 310_123;

/** One process at a time verifies in the background, as one seals. What it reads is found by index, whatever the planner thinks. */
export async function takeVerificationTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${VERIFICATION_TURN}) as mine, set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
  `.execute(trx);
  return rows[0]!.mine;
}

/** For a result that must not be lost: waits for the look under way. */
export async function awaitVerificationTurn(trx: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${VERIFICATION_TURN})`.execute(trx);
}
