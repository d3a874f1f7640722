import { sql } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { vaultTables } from './vault-tables.js';

/** Channel on which processes that share the database learn of changed secrets. */
export const SECRET_CHANGES_CHANNEL = 'kernel_secret';

/** Sent when the transaction commits. */
export async function notifyChange(em: EntityManager, secret: string): Promise<void> {
  await sql`select pg_notify(${SECRET_CHANGES_CHANNEL}, ${secret})`.execute(vaultTables(em));
}
