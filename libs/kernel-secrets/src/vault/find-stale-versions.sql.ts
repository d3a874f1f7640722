import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretPlace } from './secret-cipher.js';
import { vaultTables } from './vault-tables.js';

export interface StaleVersion extends SecretPlace {
  ciphertext: Buffer;
}

/** A batch of versions encrypted under another key. Revoked versions hold no ciphertext. */
export async function findStaleVersions(
  em: EntityManager,
  fingerprint: string,
  limit: number,
): Promise<StaleVersion[]> {
  return staleVersions(em, fingerprint)
    .select(['tenant_id as tenantId', 'alias', 'version', 'ciphertext'])
    .orderBy('tenant_id')
    .orderBy('alias')
    .orderBy('version')
    .limit(limit)
    .execute();
}

export async function countStaleVersions(em: EntityManager, fingerprint: string): Promise<number> {
  const { count } = await staleVersions(em, fingerprint)
    .select((row) => row.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function staleVersions(em: EntityManager, fingerprint: string) {
  return vaultTables(em)
    .selectFrom('kernel_secret_version')
    .where('state', '=', 'active')
    .where('key_fingerprint', 'is distinct from', fingerprint);
}
