import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** Does nothing if a fingerprint is recorded: the index on ((true)) admits one row. */
export async function recordMasterKey(em: EntityManager, fingerprint: string): Promise<void> {
  await vaultTables(em)
    .insertInto('kernel_master_key')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
