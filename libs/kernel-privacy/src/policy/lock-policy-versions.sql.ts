import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/**
 * Lets one transaction at a time number the versions of a policy. A separate statement: only the next one gets a
 * snapshot that includes the commits the lock waited for.
 */
export async function lockPolicyVersions(em: EntityManager, tenantId: string | null, eventType: string): Promise<void> {
  const key = `kernel_privacy_policy:${tenantId ?? 'default'}:${eventType}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(em.getKysely());
}
