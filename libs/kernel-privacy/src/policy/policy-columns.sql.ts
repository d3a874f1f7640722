import { sql, type RawBuilder } from 'kysely';

/** The columns of a `PrivacyPolicyRow`. Cast to text, so the host's type parsers make no difference. */
export function policyColumns(): RawBuilder<unknown> {
  return sql`policy_id as "policyId", tenant_id as "tenantId", event_type as "eventType", version,
    rules::text as "rules", to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
    created_by as "createdBy"`;
}
