import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import { vaultTables } from './vault-tables.js';

/** Deletes the ciphertext too: a revoked secret is unreadable. False if there is no such live version. */
export async function revokeSecretVersion(
  em: EntityManager,
  { tenantId, alias }: SecretAddress,
  version: number,
): Promise<boolean> {
  const revoked = await vaultTables(em)
    .updateTable('kernel_secret_version')
    .set({ state: 'revoked', ciphertext: Buffer.alloc(0) })
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('version', '=', version)
    .where('state', '=', 'active')
    .returning('version')
    .execute();
  return revoked.length > 0;
}
