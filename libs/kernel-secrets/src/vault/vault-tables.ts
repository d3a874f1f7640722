import type { EntityManager } from '@mikro-orm/postgresql';

/** The columns that the vault's statements touch; what they leave out is filled by defaults. */
interface VaultTables {
  kernel_secret_version: {
    tenant_id: string;
    alias: string;
    version: number;
    ciphertext: Buffer;
    state: 'active' | 'revoked' | undefined;
  };
  kernel_master_key: { fingerprint: string };
}

/** Kysely sends values as parameters (`em.execute` would write them into the SQL text) and joins the running transaction. */
export function vaultTables(em: EntityManager) {
  return em.getKysely<VaultTables>();
}
