import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { policyColumns } from './policy-columns.sql.js';
import type { PrivacyPolicyRow } from './privacy-policy.js';

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
