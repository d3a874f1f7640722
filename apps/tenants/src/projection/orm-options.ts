import { inboxMigrations } from '@kernel/inbox';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { projectionMigrations } from './migrations/index.js';

/** Another service's database: it has the inbox, and nothing of the kernel. */
export function projectionOrmOptions(databaseUrl: string) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    ensureDatabase: false,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: [...inboxMigrations, ...projectionMigrations], snapshot: false, silent: true },
    pool: { min: 0, max: 5 },
  });
}
