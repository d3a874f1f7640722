import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

export async function selectMasterKey(em: EntityManager): Promise<string> {
  const row = await vaultTables(em).selectFrom('kernel_master_key').select('fingerprint').executeTakeFirstOrThrow();
  return row.fingerprint;
}
