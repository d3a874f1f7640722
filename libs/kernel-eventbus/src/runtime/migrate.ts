import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Any number, as long as every process of every release uses the same. */
const MIGRATION_LOCK = 310_027;

/** Applies pending migrations. Processes that start together take turns; whoever comes later finds nothing left to do. */
export async function migrate(orm: MikroORM): Promise<void> {
  await orm.em
    .fork()
    .getKysely()
    .connection()
    .execute(async (connection) => {
      await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection);
      try {
        await orm.migrator.up();
      } finally {
        await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection);
      }
    });
}
