import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { StacItem } from './to-stac-item.js';

export const CatalogueItemEntity = defineEntity({
  name: 'CatalogueItem',
  tableName: 'hydrology_catalogue_item',
  properties: {
    itemId: p.text().primary(),
    eventId: p.uuid(),
    item: p.json<StacItem>(),
    /** How often the consumer wrote it: once, however often its event comes. */
    revision: p.integer(),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type CatalogueItem = InferEntity<typeof CatalogueItemEntity>;
