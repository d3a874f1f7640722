import { sql, type Kysely } from 'kysely';

const BUDGET_TURN = 310_125;

/**
 * Serializes additions of one tenant until the transaction ends, so that each counts the earlier ones. Must be a
 * statement before the count, which then takes a newer snapshot.
 */
export async function takeBudgetTurn(trx: Kysely<unknown>, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${BUDGET_TURN}, hashtext(${tenantId}))`.execute(trx);
}

/** Disabled ones count, deleted ones do not. */
export async function countEndpoints(trx: Kysely<unknown>, tenantId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from kernel_webhook_endpoint
    where tenant_id = ${tenantId}::uuid and deleted_at is null
  `.execute(trx);
  return rows[0]!.count;
}

/** Aliases with a version that is not revoked; those made for endpoints that are deleted do not count. */
export async function countSecrets(trx: Kysely<unknown>, tenantId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct s.alias)::int as count from kernel_secret_version s
    where s.tenant_id = ${tenantId}::uuid and s.state = 'active' and not exists (
      select from kernel_webhook_endpoint e
      where e.tenant_id = s.tenant_id and starts_with(s.alias, 'endpoint-' || e.endpoint_id) and e.deleted_at is not null
    )
  `.execute(trx);
  return rows[0]!.count;
}

/** Event types with a policy, whatever its version. */
export async function countPolicies(trx: Kysely<unknown>, tenantId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from kernel_privacy_policy where tenant_id = ${tenantId}::uuid and version = 1
  `.execute(trx);
  return rows[0]!.count;
}
