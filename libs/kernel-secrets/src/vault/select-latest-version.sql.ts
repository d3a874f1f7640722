import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import { vaultTables } from './vault-tables.js';

/** Counts revoked versions too; 0 for an alias without any. */
export async function selectLatestVersion(em: EntityManager, { tenantId, alias }: SecretAddress): Promise<number> {
  const row = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('version')
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}
