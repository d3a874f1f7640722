import { sql, type Kysely } from 'kysely';

/** Any number that nothing else locks. */
const DEMO_LOCK = 310_311;

/** Processes that start together take turns; held until the transaction ends. */
export async function lockDemo(trx: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DEMO_LOCK})`.execute(trx);
}
