import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import { vaultTables } from './vault-tables.js';

export interface NewSecretVersion extends SecretAddress {
  version: number;
  ciphertext: Buffer;
}

/** False when somebody else took the version; waits for whoever is about to. */
export async function insertSecretVersion(em: EntityManager, row: NewSecretVersion): Promise<boolean> {
  const inserted = await vaultTables(em)
    .insertInto('kernel_secret_version')
    .values({ tenant_id: row.tenantId, alias: row.alias, version: row.version, ciphertext: row.ciphertext })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .execute();
  return inserted.length > 0;
}
