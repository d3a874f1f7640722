import { appOrmOptions, type DatabasePlace } from '@kernel/app';
import { CatalogueItemEntity } from '../catalogue/catalogue-item.entity.js';
import { hydrologyMigrations } from '../migrations/index.js';
import { ArtifactVersionEntity } from '../publication/artifact-version.entity.js';
import { PipelineStateEntity } from '../publication/pipeline-state.entity.js';

export function ormOptions(place: DatabasePlace) {
  return appOrmOptions(place, {
    entities: [ArtifactVersionEntity, PipelineStateEntity, CatalogueItemEntity],
    migrations: hydrologyMigrations,
    poolSize: 10,
  });
}
