import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { policyColumns } from './policy-columns.sql.js';
import type { PrivacyPolicyRow } from './privacy-policy.js';

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
