import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretAddress } from '../secret-address.js';
import type { SecretKind } from '../secret-kind.js';
import { LIVE_UNTIL_MS, vaultTables } from './vault-tables.js';

export interface StoredVersion {
  version: number;
  kind: SecretKind;
  ciphertext: Buffer;
  liveUntilMs: number | null;
}

/** Versions neither revoked nor past their overlap, newest first. */
export async function selectLiveVersions(
  em: Pick<EntityManager, 'getKysely'>,
  { tenantId, alias }: SecretAddress,
  now: Date,
): Promise<StoredVersion[]> {
  return vaultTables(em)
    .selectFrom('kernel_secret_version')
    .select(['version', 'kind', 'ciphertext', LIVE_UNTIL_MS])
    .where('tenant_id', '=', tenantId)
    .where('alias', '=', alias)
    .where('state', '=', 'active')
    .where((live) => live.or([live('live_until', 'is', null), live('live_until', '>', now)]))
    .orderBy('version', 'desc')
    .execute();
}
