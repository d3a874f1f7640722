import { eventBusEntities, kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { TenantEntity } from '../governance/tenant.entity.js';
import { tenantMigrations } from '../migrations/index.js';

const POOL_SIZE = 20;

export function ormOptions({ databaseUrl, databaseRole }: { databaseUrl: string; databaseRole?: string }) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    // A slip in the URL must not make a new, empty database.
    ensureDatabase: false,
    entities: [...eventBusEntities, TenantEntity],
    extensions: [Migrator],
    migrations: { migrationsList: [...kernelMigrations, ...tenantMigrations], snapshot: false, silent: true },
    pool: { min: 0, max: POOL_SIZE },
    driverOptions: databaseRole ? { options: `-c role=${databaseRole}` } : {},
  });
}
