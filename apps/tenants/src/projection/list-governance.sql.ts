import { sql, type Kysely } from 'kysely';

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
