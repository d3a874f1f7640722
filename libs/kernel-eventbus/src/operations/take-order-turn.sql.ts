import { sql, type Kysely } from 'kysely';

const ORDER_TURN = 310_123;

/**
 * Orders of one tenant, or of operators who name none, are written one after the other: each sees those before it when it is
 * checked how many are under way. To be called by a statement before; the transaction's end lets the next one in.
 */
export async function takeOrderTurn(trx: Kysely<unknown>, tenantId: string | undefined): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ORDER_TURN}, hashtext(${tenantId ?? 'all tenants'}))`.execute(trx);
}
