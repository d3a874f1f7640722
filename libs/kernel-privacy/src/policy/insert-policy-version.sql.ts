import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { policyColumns } from './policy-columns.sql.js';
import type { PrivacyPolicyRow } from './privacy-policy.js';
import type { PolicyRules } from './policy-rule.js';

export interface NewPolicyVersion {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  rules: PolicyRules;
  createdBy: string;
}

/** Numbers and stores the next version; call it under `lockPolicyVersions`. */
export async function insertPolicyVersion(em: EntityManager, policy: NewPolicyVersion): Promise<PrivacyPolicyRow> {
  const { policyId, tenantId, eventType, createdBy } = policy;
  const { rows } = await sql<PrivacyPolicyRow>`
    insert into kernel_privacy_policy (policy_id, tenant_id, event_type, version, rules, created_by)
    select ${policyId}::uuid, ${tenantId}::uuid, ${eventType}::text, coalesce(max(version), 0) + 1,
      ${JSON.stringify(policy.rules)}::jsonb, ${createdBy}::text
    from kernel_privacy_policy
    where event_type = ${eventType}::text and tenant_id is not distinct from ${tenantId}::uuid
    returning ${policyColumns()}
  `.execute(em.getKysely());
  return rows[0]!;
}
