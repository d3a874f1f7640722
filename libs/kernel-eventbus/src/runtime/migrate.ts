import { IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Any number, as long as every process of every release uses the same. */
const MIGRATION_LOCK = 310_027;

/** Two processes made MikroORM's table of migrations at once. */
const MADE_BY_ANOTHER = ['42P07', '42710', '23505'];

/**
 * Applies pending migrations. Processes that start together take turns; whoever comes later finds nothing left to do. Lock, look and
 * migrations are one transaction, so that the lock holds behind a transaction pooler too, even one with a single connection.
 */
export async function migrate(orm: MikroORM): Promise<void> {
  await prepareMigrator(orm);
  await orm.em.getConnection().transactional(
    async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      await orm.migrator.up({ transaction });
    },
    { isolationLevel: IsolationLevel.READ_COMMITTED },
  );
}

/** The migrator makes its table when it is first used, on a connection of its own. */
async function prepareMigrator(orm: MikroORM): Promise<void> {
  try {
    await orm.migrator.getExecuted();
  } catch (error) {
    const { code } = error as { code?: string };
    if (!MADE_BY_ANOTHER.includes(code ?? '')) {
      throw error;
    }
  }
}
