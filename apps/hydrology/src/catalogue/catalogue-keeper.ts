import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ArtifactPublished, type ArtifactPublishedPayload } from '../publication/artifact.events.js';
import { putCatalogueItem } from './put-catalogue-item.sql.js';
import { toStacItem } from './to-stac-item.js';

/** Keeps the catalogue, version after version of each dataset. It knows the event and nothing of the pipeline. */
@Injectable()
export class CatalogueKeeper {
  @EventHandler({ name: 'hydrology.catalogue', types: [ArtifactPublished.type], ordering: 'stream' })
  async add({ eventId, payload }: HandledEvent, em: EntityManager): Promise<void> {
    await putCatalogueItem(em.getKysely(), eventId, toStacItem(payload as ArtifactPublishedPayload));
  }
}
