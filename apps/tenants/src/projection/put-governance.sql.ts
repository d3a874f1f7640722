import { sql, type Kysely } from 'kysely';

export interface GovernanceChange {
  tenantId: string;
  version: number;
  changedAt: string;
  governance: { name: string; plan: string; retentionDays: number; residency: string };
}

/** `changes` counts what was applied: a change that is missing or applied twice shows as a difference to `version`. */
export async function putGovernance(trx: Kysely<unknown>, change: GovernanceChange): Promise<void> {
  const { name, plan, retentionDays, residency } = change.governance;
  await sql`
    insert into governance as g (tenant_id, name, plan, retention_days, residency, version, changes, changed_at)
    values (${change.tenantId}, ${name}, ${plan}, ${retentionDays}, ${residency}, ${change.version}, 1, ${change.changedAt})
    on conflict (tenant_id) do update
    set name = excluded.name, plan = excluded.plan, retention_days = excluded.retention_days,
      residency = excluded.residency, version = excluded.version, changed_at = excluded.changed_at,
      changes = g.changes + 1
  `.execute(trx);
}
