import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** The fingerprint of the key that this database's secrets are encrypted under, if one is recorded. */
export async function selectMasterKey(em: EntityManager): Promise<string | undefined> {
  const row = await vaultTables(em).selectFrom('kernel_master_key').select('fingerprint').executeTakeFirst();
  return row?.fingerprint;
}
