import { sql, type Kysely } from 'kysely';
import type { StacItem } from './to-stac-item.js';

export async function putCatalogueItem(trx: Kysely<unknown>, eventId: string, item: StacItem): Promise<void> {
  await sql`
    insert into hydrology_catalogue_item as c (item_id, event_id, item, revision)
    values (${item.id}, ${eventId}, ${JSON.stringify(item)}::jsonb, 1)
    on conflict (item_id) do update
    set event_id = excluded.event_id, item = excluded.item, revision = c.revision + 1, updated_at = clock_timestamp()
  `.execute(trx);
}
