import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

export async function hasRevokedVersion(
  em: EntityManager,
  { tenantId, alias, version }: { tenantId: string | undefined; alias: string; version: number },
): Promise<boolean> {
  const row = await vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select('version')
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'revoked')
    .$if(tenantId !== undefined, (query) => query.where('tenant_id', '=', tenantId!))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
