import { sql, type Kysely } from 'kysely';

/** An arbitrary number that no other lock uses. */
const DEMO_LOCK = 310_311;

/** Serializes processes that start together; held until the transaction ends. */
export async function lockDemo(trx: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DEMO_LOCK})`.execute(trx);
}
