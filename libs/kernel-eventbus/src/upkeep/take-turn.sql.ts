import { sql, type Kysely } from 'kysely';

/** The functions of the partitions take the same one. */
const UPKEEP_TURN = 310_120;

/**
 * One process at a time does upkeep; the turn ends with the transaction. A lock of the session would be lost, or kept for
 * ever, behind a transaction pooler.
 */
export async function takeTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${UPKEEP_TURN}) as mine`.execute(trx);
  return rows[0]!.mine;
}
