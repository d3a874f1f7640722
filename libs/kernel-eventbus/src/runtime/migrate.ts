import { IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** An arbitrary number that must be the same in all processes and releases. */
const MIGRATION_LOCK = 310_027;

/** Two processes created MikroORM's migrations table at the same time. */
const MADE_BY_ANOTHER = ['42P07', '42710', '23505'];

/**
 * Applies pending migrations. Processes that start together take turns, and the later ones find none pending. Lock,
 * check and migrations share one transaction, so that the lock works behind a transaction pooler, even one with a
 * single connection.
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

/** The migrator creates its table on first use, on a separate connection. */
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
