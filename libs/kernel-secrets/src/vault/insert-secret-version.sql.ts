import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import type { SecretKind } from '../secret-kind.js';
import { vaultTables } from './vault-tables.js';

export interface NewSecretVersion extends SecretAddress {
  version: number;
  kind: SecretKind;
  ciphertext: Buffer;
  /** Fingerprint of the master key that encrypted it. */
  keyFingerprint: string;
}

/** False if the version exists already; waits for a concurrent insert of it. */
export async function insertSecretVersion(em: EntityManager, row: NewSecretVersion): Promise<boolean> {
  const inserted = await vaultTables(em)
    .insertInto('kernel_secret_version')
    .values({
      tenant_id: row.tenantId,
      alias: row.alias,
      version: row.version,
      kind: row.kind,
      ciphertext: row.ciphertext,
      key_fingerprint: row.keyFingerprint,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .execute();
  return inserted.length > 0;
}
