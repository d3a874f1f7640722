import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ArtifactPublished } from '../publication/artifact.events.js';
import { putCatalogueItem } from './put-catalogue-item.sql.js';
import { toStacItem } from './to-stac-item.js';

/** Keeps the catalogue, version by version of each dataset. Depends on the event and not on the pipeline. */
@Injectable()
export class CatalogueKeeper {
  @EventHandler(ArtifactPublished, { name: 'hydrology.catalogue', ordering: 'stream' })
  async add({ eventId, payload }: HandledEvent<typeof ArtifactPublished>, em: EntityManager): Promise<void> {
    await putCatalogueItem(em.getKysely(), eventId, toStacItem(payload));
  }
}
