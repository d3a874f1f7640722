import { kernelMigrations, migrate } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { FailedError, UnreachableError } from '../cli.errors.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Applies pending migrations under the same lock as starting apps. Returns their names. */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    // A typo in the URL must not create an empty database.
    ensureDatabase: false,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
    pool: { min: 0, max: 2 },
    driverOptions: { connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
  });
  try {
    await orm.em.getConnection().execute('select 1').catch(refuse);
    const pending = await orm.migrator.getPending();
    await migrate(orm).catch((error: unknown) => {
      throw new FailedError(`the migrations were not applied: ${messageOf(error)}`, { cause: error });
    });
    return pending.map(({ name }) => name);
  } finally {
    await orm.close(true);
  }
}

/** Without the URL, which may hold a password. */
function refuse(error: unknown): never {
  throw new UnreachableError(`the database cannot be reached: ${messageOf(error)}`, { cause: error });
}

function messageOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message?.trim() || code || 'no reason given';
}
