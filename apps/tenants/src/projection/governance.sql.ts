import { sql, type Kysely } from 'kysely';

export interface GovernanceChange {
  tenantId: string;
  version: number;
  changedAt: string;
  governance: { name: string; plan: string; retentionDays: number; residency: string };
}

/**
 * A change that arrives after a newer one is only counted. `changes` counts all of them, so a missing change or one
 * applied twice shows as a difference to `version`.
 */
export async function putGovernance(trx: Kysely<unknown>, change: GovernanceChange): Promise<void> {
  const { name, plan, retentionDays, residency } = change.governance;
  await sql`
    insert into projection.governance as g (tenant_id, name, plan, retention_days, residency, version, changes, changed_at)
    values (${change.tenantId}, ${name}, ${plan}, ${retentionDays}, ${residency}, ${change.version}, 1, ${change.changedAt})
    on conflict (tenant_id) do update
    set (name, plan, retention_days, residency, version, changed_at) = (
        select newer.name, newer.plan, newer.retention_days, newer.residency, newer.version, newer.changed_at
        from (
          values
            (g.name, g.plan, g.retention_days, g.residency, g.version, g.changed_at),
            (excluded.name, excluded.plan, excluded.retention_days, excluded.residency, excluded.version,
              excluded.changed_at)
        ) as newer (name, plan, retention_days, residency, version, changed_at)
        order by newer.version desc
        limit 1
      ),
      changes = g.changes + 1
  `.execute(trx);
}

export interface ProjectedGovernance {
  tenantId: string;
  name: string;
  plan: string;
  retentionDays: number;
  residency: string;
  version: number;
  changes: number;
}

/** The last changed tenants come first. */
export async function listGovernance(db: Kysely<unknown>, limit: number): Promise<ProjectedGovernance[]> {
  const { rows } = await sql<ProjectedGovernance>`
    select tenant_id as "tenantId", name, plan, retention_days as "retentionDays", residency, version, changes
    from projection.governance
    order by changed_at desc, tenant_id
    limit ${limit}
  `.execute(db);
  return rows;
}
