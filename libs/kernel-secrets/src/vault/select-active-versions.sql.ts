import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import { vaultTables } from './vault-tables.js';

export interface StoredVersion {
  version: number;
  ciphertext: Buffer;
}

/** Newest first. */
export async function selectActiveVersions(
  em: EntityManager,
  { tenantId, alias }: SecretAddress,
): Promise<StoredVersion[]> {
  return vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select(['version', 'ciphertext'])
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('state', '=', 'active')
    .orderBy('version', 'desc')
    .execute();
}
