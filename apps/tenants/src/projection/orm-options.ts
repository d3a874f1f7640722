import { inboxMigrations } from '@kernel/inbox';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { projectionMigrations } from './migrations/index.js';

/** Another service's tables: an inbox and the projection, and nothing of the kernel. */
export function projectionOrmOptions(databaseUrl: string) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    ensureDatabase: false,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...projectionMigrations, ...inboxMigrations],
      tableName: 'projection.migration',
      snapshot: false,
      silent: true,
    },
    pool: { min: 0, max: 5 },
    // The inbox has its table where the connection looks first.
    driverOptions: { options: '-c search_path=projection' },
  });
}
