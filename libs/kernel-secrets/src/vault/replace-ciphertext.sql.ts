import type { EntityManager } from '@mikro-orm/postgresql';
import type { StaleVersion } from './find-stale-versions.sql.js';
import { vaultTables } from './vault-tables.js';

/** Does nothing if the row has changed since it was read: revoked, or re-encrypted by another run. */
export async function replaceCiphertext(
  em: EntityManager,
  stale: StaleVersion,
  { ciphertext, keyFingerprint }: { ciphertext: Buffer; keyFingerprint: string },
): Promise<void> {
  await vaultTables(em)
    .updateTable('kernel_secret_version')
    .set({ ciphertext, key_fingerprint: keyFingerprint })
    .where('tenant_id', '=', stale.tenantId)
    .where('alias', '=', stale.alias)
    .where('version', '=', stale.version)
    .where('state', '=', 'active')
    .where('ciphertext', '=', stale.ciphertext)
    .execute();
}
