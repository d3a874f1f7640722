import { inboxMigrations } from '@kernel/inbox';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { receiverMigrations } from './migrations/index.js';

export function ormOptions(databaseUrl: string) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    // A slip in the URL must not make a new, empty database.
    ensureDatabase: false,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...receiverMigrations, ...inboxMigrations],
      tableName: 'receiver.migration',
      snapshot: false,
      silent: true,
    },
    pool: { min: 0, max: 5 },
    // The inbox has its table where the connection looks first.
    driverOptions: { connectionTimeoutMillis: 5_000, options: '-c search_path=receiver' },
  });
}
