import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** Where processes that share the database hear of changed secrets. */
export const SECRET_CHANGES_CHANNEL = 'kernel_secret';

/** Goes out when the transaction commits, and never if it does not. */
export async function notifyChange(em: EntityManager, secret: string): Promise<void> {
  await sql`select pg_notify(${SECRET_CHANGES_CHANNEL}, ${secret})`.execute(vaultTables(em));
}
