import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

export interface RecordedKey {
  /** Of the key that this database's secrets are encrypted under. */
  fingerprint: string;
  /** Encrypted under it; null until the first rotation. */
  lastingKey: Buffer | null;
}

/** What is recorded of the master key, if anything is. */
export async function selectMasterKey(em: EntityManager): Promise<RecordedKey | undefined> {
  const columns = ['fingerprint', 'lasting_key as lastingKey'] as const;
  return vaultTables(em).selectFrom('kernel_master_key').select(columns).executeTakeFirst();
}
