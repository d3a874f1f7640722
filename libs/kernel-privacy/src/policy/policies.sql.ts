import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PrivacyPolicyRow } from './privacy-policy.js';
import type { PolicyRules } from './policy-rule.js';

/** The columns of a `PrivacyPolicyRow`. Cast to text, so the host's type parsers make no difference. */
export function policyColumns(): RawBuilder<unknown> {
  return sql`policy_id as "policyId", tenant_id as "tenantId", event_type as "eventType", version,
    rules::text as "rules", to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
    created_by as "createdBy"`;
}

/** The tenant's latest version, else the latest default of the type. */
export async function selectCurrentPolicy(
  em: Pick<EntityManager, 'getKysely'>,
  tenantId: string,
  eventType: string,
): Promise<PrivacyPolicyRow | undefined> {
  const { rows } = await sql<PrivacyPolicyRow>`
    select ${policyColumns()}
    from kernel_privacy_policy
    where event_type = ${eventType} and (tenant_id = ${tenantId} or tenant_id is null)
    order by tenant_id nulls last, version desc
    limit 1
  `.execute(em.getKysely());
  return rows[0];
}

export async function selectPolicyById(em: EntityManager, policyId: string): Promise<PrivacyPolicyRow | undefined> {
  const { rows } = await sql<PrivacyPolicyRow>`
    select ${policyColumns()} from kernel_privacy_policy where policy_id = ${policyId}::uuid
  `.execute(em.getKysely());
  return rows[0];
}

export interface PolicyVersion {
  /** Null is the default of the type. */
  tenantId: string | null;
  eventType: string;
  version: number;
}

export async function selectPolicyVersion(
  em: EntityManager,
  { tenantId, eventType, version }: PolicyVersion,
): Promise<PrivacyPolicyRow | undefined> {
  const { rows } = await sql<PrivacyPolicyRow>`
    select ${policyColumns()}
    from kernel_privacy_policy
    where event_type = ${eventType}::text and tenant_id is not distinct from ${tenantId}::uuid and version = ${version}::int
  `.execute(em.getKysely());
  return rows[0];
}

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

/**
 * Lets one transaction at a time number the versions of a policy. A separate statement: only the next one gets a
 * snapshot that includes the commits the lock waited for.
 */
export async function lockPolicyVersions(em: EntityManager, tenantId: string | null, eventType: string): Promise<void> {
  const key = `kernel_privacy_policy:${tenantId ?? 'default'}:${eventType}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(em.getKysely());
}

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
