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
