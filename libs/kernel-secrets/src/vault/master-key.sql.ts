import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** An arbitrary number that no other lock uses. */
const MASTER_KEY_LOCK = 310_501;

/**
 * Held until the transaction ends: shared for encrypting, exclusive for changing the key. So no secret is written under
 * a key that is no longer the database's. Without a transaction the lock ends at once.
 */
export async function lockMasterKey(em: EntityManager, mode: 'shared' | 'alone'): Promise<void> {
  const db = vaultTables(em);
  await (mode === 'shared'
    ? sql`select pg_advisory_xact_lock_shared(${MASTER_KEY_LOCK})`.execute(db)
    : sql`select pg_advisory_xact_lock(${MASTER_KEY_LOCK})`.execute(db));
}

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

/** Does nothing if a fingerprint is recorded: the index on ((true)) admits one row. */
export async function recordMasterKey(em: EntityManager, fingerprint: string): Promise<void> {
  await vaultTables(em)
    .insertInto('kernel_master_key')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes this the key of the database. */
export async function replaceMasterKey(em: EntityManager, fingerprint: string, lastingKey: Buffer): Promise<void> {
  await vaultTables(em)
    .updateTable('kernel_master_key')
    .set({ fingerprint, lasting_key: lastingKey, created_at: sql`clock_timestamp()` })
    .where('fingerprint', '<>', fingerprint)
    .execute();
}
