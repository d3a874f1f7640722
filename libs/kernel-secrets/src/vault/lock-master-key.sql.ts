import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** Any number that nothing else locks. */
const MASTER_KEY_LOCK = 310_501;

/**
 * Until the transaction ends: whoever encrypts shares it, whoever changes the key wants it alone. So nothing is written under a
 * key that is no longer the database's. Without a transaction it is over at once.
 */
export async function lockMasterKey(em: EntityManager, mode: 'shared' | 'alone'): Promise<void> {
  const db = vaultTables(em);
  await (mode === 'shared'
    ? sql`select pg_advisory_xact_lock_shared(${MASTER_KEY_LOCK})`.execute(db)
    : sql`select pg_advisory_xact_lock(${MASTER_KEY_LOCK})`.execute(db));
}
