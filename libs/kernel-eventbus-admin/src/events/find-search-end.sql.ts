import { sql, type Kysely } from 'kysely';
import { asPosition, eventPositions, type EventFilter, type EventPosition } from './select-events.sql.js';

/** The position of the last event that a search of `searched` events covers; undefined if there are fewer. */
export async function findSearchEnd(
  db: Kysely<unknown>,
  filter: Pick<EventFilter, 'tenantId' | 'status' | 'since' | 'until' | 'before'>,
  searched: number,
): Promise<EventPosition | undefined> {
  const { tenantId, status, since, until, before } = filter;
  const positions = eventPositions({ tenantId, status, since, until, before, limit: searched });
  const { rows } = await sql<EventPosition>`
    select ${asPosition('found.created_at')} as "createdAt", found.event_id as "eventId"
    from (${positions}) found
    order by found.created_at desc, found.event_id desc offset ${searched - 1} limit 1
  `.execute(db);
  return rows[0];
}
