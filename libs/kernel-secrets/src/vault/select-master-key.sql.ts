import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

export interface RecordedKey {
  /** Of the key that encrypts this database's secrets. */
  fingerprint: string;
  /** Encrypted under that key; null until the first rotation. */
  lastingKey: Buffer | null;
}

/** The recorded master key, if any. */
export async function selectMasterKey(em: EntityManager): Promise<RecordedKey | undefined> {
  const columns = ['fingerprint', 'lasting_key as lastingKey'] as const;
  return vaultTables(em).selectFrom('kernel_master_key').select(columns).executeTakeFirst();
}
