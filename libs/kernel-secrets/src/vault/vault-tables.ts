import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type ColumnType, type Generated } from 'kysely';
import type { SecretKind } from '../secret-kind.js';

/** The columns that the vault's statements use; defaults fill the others. */
interface VaultTables {
  kernel_secret_version: {
    tenant_id: string;
    alias: string;
    version: number;
    kind: SecretKind;
    ciphertext: Buffer;
    state: Generated<'active' | 'revoked'>;
    live_until: ColumnType<Date | null, never, Date>;
    key_fingerprint: string | null;
  };
  kernel_master_key: { fingerprint: string; lasting_key: Buffer | null; created_at: Generated<Date> };
}

/**
 * Kysely sends values as parameters (`em.execute` would write them into the SQL text) and joins the running
 * transaction.
 */
export function vaultTables(em: Pick<EntityManager, 'getKysely'>) {
  return em.getKysely<VaultTables>();
}

/** As a number: the driver returns timestamps as text, in a session-dependent format. */
export const LIVE_UNTIL_MS = sql<number | null>`(extract(epoch from live_until) * 1000)::float8`.as('liveUntilMs');
