import { eventBusEntities, kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { signatureMigrations } from '../migrations/index.js';
import { SignatureRequestEntity } from '../signing/signature-request.entity.js';

const POOL_SIZE = 20;

export function ormOptions({ databaseUrl, databaseRole }: { databaseUrl: string; databaseRole?: string }) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    // A slip in the URL must not make a new, empty database.
    ensureDatabase: false,
    entities: [...eventBusEntities, SignatureRequestEntity],
    extensions: [Migrator],
    migrations: { migrationsList: [...kernelMigrations, ...signatureMigrations], snapshot: false, silent: true },
    pool: { min: 0, max: POOL_SIZE },
    driverOptions: databaseRole ? { options: `-c role=${databaseRole}` } : {},
  });
}
