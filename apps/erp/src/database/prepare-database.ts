import { migrate } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { DatabaseUnreachableError } from './database-unreachable.error.js';
import { ormOptions } from './orm-options.js';

/** A server that does not answer is told from a slow one here, before anything else starts. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects as the owner of the tables and applies pending migrations, on connections of its own: the app's may wait longer for
 * a busy pool, and have fewer rights.
 */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({
    ...ormOptions({ databaseUrl }),
    pool: { min: 0, max: 2 },
    driverOptions: { connectionTimeoutMillis: CONNECT_TIMEOUT_MS },
  });
  try {
    await orm.em
      .getConnection()
      .execute('select 1')
      .catch((error: unknown) => {
        throw new DatabaseUnreachableError(databaseUrl, error);
      });
    await migrate(orm);
  } finally {
    await orm.close(true);
  }
}
