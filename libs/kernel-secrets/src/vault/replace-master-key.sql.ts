import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** Makes this the key of the database. */
export async function replaceMasterKey(em: EntityManager, fingerprint: string, lastingKey: Buffer): Promise<void> {
  await vaultTables(em)
    .updateTable('kernel_master_key')
    .set({ fingerprint, lasting_key: lastingKey, created_at: sql`clock_timestamp()` })
    .where('fingerprint', '<>', fingerprint)
    .execute();
}
