import { sql, type Kysely } from 'kysely';

export async function addToBalance(trx: Kysely<unknown>, tenantId: string, cents: number): Promise<void> {
  await sql`
    insert into erp_balance as b (tenant_id, balance_cents, postings) values (${tenantId}, ${cents}, 1)
    on conflict (tenant_id) do update
    set balance_cents = b.balance_cents + excluded.balance_cents, postings = b.postings + 1
  `.execute(trx);
}
