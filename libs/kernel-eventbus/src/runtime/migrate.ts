import { kernelMigrations } from '@kernel/migrations';
import { type IMigrator, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { KernelMigrator } from './kernel-migrator.js';

/** An arbitrary number that must be the same in all processes and releases. */
const MIGRATION_LOCK = 310_027;

/** Two processes created MikroORM's migrations table at the same time. */
const MADE_BY_ANOTHER = ['42P07', '42710', '23505'];

const OUTBOX = 'kernel_outbox_event';

/**
 * Applies pending migrations: the kernel's, then the host's. Processes that start together take turns, and the later
 * ones find none pending. Lock, check and migrations share one transaction, so that the lock works behind a transaction
 * pooler, even one with a single connection.
 */
export async function migrate(orm: MikroORM): Promise<void> {
  const kernels = usesKernel(orm) ? new KernelMigrator(orm.em) : undefined;
  const hosts = orm.config.getExtension<IMigrator>('@mikro-orm/migrator');
  for (const migrator of [kernels, hosts]) {
    await (migrator && prepareMigrator(migrator));
  }
  await orm.em.getConnection().transactional(
    async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      await kernels?.up({ transaction });
      await hosts?.up({ transaction });
    },
    { isolationLevel: IsolationLevel.READ_COMMITTED },
  );
}

/** False for a database of a host that only consumes events. */
function usesKernel(orm: MikroORM): boolean {
  const { migrationsList = [] } = orm.config.get('migrations');
  const kernel = new Set<unknown>(kernelMigrations);
  return (
    [...orm.getMetadata().getAll().values()].some(({ tableName }) => tableName === OUTBOX) ||
    migrationsList.some((listed) => kernel.has(typeof listed === 'function' ? listed : listed.class))
  );
}

/** The migrator creates its table on first use, on a separate connection. */
async function prepareMigrator(migrator: IMigrator): Promise<void> {
  try {
    await migrator.getExecuted();
  } catch (error) {
    const { code } = error as { code?: string };
    if (!MADE_BY_ANOTHER.includes(code ?? '')) {
      throw error;
    }
  }
}
