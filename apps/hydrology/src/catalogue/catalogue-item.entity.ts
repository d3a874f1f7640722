import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { StacItem } from './to-stac-item.js';

export const CatalogueItemEntity = defineEntity({
  name: 'CatalogueItem',
  tableName: 'hydrology_catalogue_item',
  properties: {
    itemId: p.text().primary(),
    eventId: p.uuid(),
    item: p.json<StacItem>(),
    /** Number of writes by the consumer: one per event, even if the event is delivered again. */
    revision: p.integer(),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type CatalogueItem = InferEntity<typeof CatalogueItemEntity>;
