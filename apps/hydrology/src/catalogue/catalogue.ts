import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CatalogueItemEntity } from './catalogue-item.entity.js';
import type { StacItem } from './to-stac-item.js';

export interface ItemCollection {
  type: 'FeatureCollection';
  features: StacItem[];
}

@Injectable()
export class Catalogue {
  constructor(private readonly em: EntityManager) {}

  async read(): Promise<ItemCollection> {
    const items = await this.em.fork().findAll(CatalogueItemEntity, { orderBy: { itemId: 'asc' } });
    return { type: 'FeatureCollection', features: items.map(({ item }) => item) };
  }

  async has(eventId: string): Promise<boolean> {
    return (await this.em.fork().count(CatalogueItemEntity, { eventId })) > 0;
  }
}
