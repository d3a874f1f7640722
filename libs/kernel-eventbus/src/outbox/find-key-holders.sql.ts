import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import type { KeyedEvent, KeyHolder } from './keyed-event.js';

/** What the keys of these events stand for already. A statement of its own: it sees what the claim had to wait for. */
export async function findKeyHolders(
  db: Kysely<unknown>,
  events: readonly KeyedEvent[],
  windowDays: number,
): Promise<KeyHolder[]> {
  const { plain, text } = columnsOf(events);
  const { rows } = await sql<KeyHolder>`
    select k.tenant_id as "tenantId", k.key, k.event_id as "eventId", k.stream_key as "streamKey", k.type,
      to_char(k.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "occurredAt",
      k.trace_id as "traceId", k.actor_id as "actorId", k.payload_hash as "payloadHash",
      k.attributes_hash as "attributesHash",
      k.created_at < clock_timestamp() - ${windowDays}::int * interval '24 hours' as "isExpired"
    from kernel_idempotency_key k
    join unnest(${plain('tenantId')}::uuid[], ${text('key')}::text[]) as asked (tenant_id, key)
      on k.tenant_id = asked.tenant_id and k.key = asked.key
  `.execute(db);
  return rows;
}
