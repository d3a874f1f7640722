import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** The tenants that have this version under this alias, not revoked; two at most. */
export async function findTenantsOfVersion(em: EntityManager, alias: string, version: number): Promise<string[]> {
  const rows = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('tenant_id')
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'active')
    .limit(2)
    .execute();
  return rows.map((row) => row.tenant_id);
}
