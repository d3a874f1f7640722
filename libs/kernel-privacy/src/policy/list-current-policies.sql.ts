import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { policyColumns } from './policy-columns.sql.js';
import type { PrivacyPolicyRow } from './privacy-policy.js';

export interface PolicyListing {
  /** Only this tenant's own policies; null lists the defaults alone. */
  tenantId?: string | null;
  /** Only policies visible to this tenant: its own and the defaults. */
  visibleTo?: string;
  limit: number;
  /**
   * Ends the list with the first policy that exceeds this number of rules, so the caller can tell that it was cut.
   * Default: no limit.
   */
  maxRules?: number;
  /** The last `policyId` of the previous page. */
  before?: string;
}

/** The current version of each policy, newest first by its UUIDv7. */
export async function listCurrentPolicies(em: EntityManager, listing: PolicyListing): Promise<PrivacyPolicyRow[]> {
  const { tenantId, visibleTo, limit, maxRules, before } = listing;
  const short = maxRules === undefined ? sql`true` : sql`rules_before < ${maxRules}::int`;
  const ofTenant = tenantId === undefined ? sql`true` : sql`tenant_id is not distinct from ${tenantId}::uuid`;
  const visible = visibleTo === undefined ? sql`true` : sql`(tenant_id = ${visibleTo}::uuid or tenant_id is null)`;
  const older = before === undefined ? sql`true` : sql`policy_id < ${before}::uuid`;
  const { rows } = await sql<PrivacyPolicyRow>`
    select ${policyColumns()}
    from (
      select *, coalesce(
        sum(jsonb_array_length(rules)) over (
          order by policy_id desc rows between unbounded preceding and 2 preceding
        ), 0
      ) as rules_before
      from (
        select distinct on (event_type, tenant_id) *
        from kernel_privacy_policy
        where ${ofTenant} and ${visible}
        order by event_type, tenant_id, version desc
      ) current_version
      where ${older}
    ) counted
    where ${short}
    order by policy_id desc
    limit ${limit}
  `.execute(em.getKysely());
  return rows;
}
