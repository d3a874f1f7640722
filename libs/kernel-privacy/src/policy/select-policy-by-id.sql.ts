import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { policyColumns } from './policy-columns.sql.js';
import type { PrivacyPolicyRow } from './privacy-policy.js';

export async function selectPolicyById(em: EntityManager, policyId: string): Promise<PrivacyPolicyRow | undefined> {
  const { rows } = await sql<PrivacyPolicyRow>`
    select ${policyColumns()} from kernel_privacy_policy where policy_id = ${policyId}::uuid
  `.execute(em.getKysely());
  return rows[0];
}
