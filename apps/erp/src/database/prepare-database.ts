import { withOrm } from '@kernel/app';
import { migrate } from '@kernel/eventbus';
import { DatabaseUnreachableError } from './database-unreachable.error.js';
import { ormOptions } from './orm-options.js';

/** Fails on an unreachable server here, before anything else starts. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects as the owner of the tables and applies pending migrations. Uses separate connections: the app's may wait
 * longer for a busy pool, and have fewer rights.
 */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  const driverOptions = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  await withOrm({ ...ormOptions({ databaseUrl }), driverOptions }, async (orm) => {
    await orm.em
      .getConnection()
      .execute('select 1')
      .catch((error: unknown) => {
        throw new DatabaseUnreachableError(databaseUrl, error);
      });
    await migrate(orm);
  });
}
