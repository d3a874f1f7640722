import { eventBusEntities, kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CatalogueItemEntity } from '../catalogue/catalogue-item.entity.js';
import { hydrologyMigrations } from '../migrations/index.js';
import { ArtifactVersionEntity } from '../publication/artifact-version.entity.js';
import { PipelineStateEntity } from '../publication/pipeline-state.entity.js';

const POOL_SIZE = 10;

export function ormOptions({ databaseUrl, databaseRole }: { databaseUrl: string; databaseRole?: string }) {
  return defineConfig({
    driver: PostgreSqlDriver,
    clientUrl: databaseUrl,
    // A slip in the URL must not make a new, empty database.
    ensureDatabase: false,
    entities: [...eventBusEntities, ArtifactVersionEntity, PipelineStateEntity, CatalogueItemEntity],
    extensions: [Migrator],
    migrations: { migrationsList: [...kernelMigrations, ...hydrologyMigrations], snapshot: false, silent: true },
    pool: { min: 0, max: POOL_SIZE },
    driverOptions: databaseRole ? { options: `-c role=${databaseRole}` } : {},
  });
}
