import { sql, type Kysely } from 'kysely';
import type { KnownEvent } from './duplicate-refusal.js';
import type { PreparedEvent } from './prepare-event.js';

/** The stored events that have the ids which these were supplied with; the others' ids are new and not looked for. */
export async function findExistingEvents(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
  retentionDays: number,
): Promise<KnownEvent[]> {
  const supplied = events.filter(({ isIdSupplied }) => isIdSupplied).map(({ eventId }) => eventId);
  const { rows } = await sql<KnownEvent>`
    select event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", type,
      to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "occurredAt", trace_id as "traceId",
      actor_id as "actorId", payload_jsonb::text as "payloadJson", payload_hash as "payloadHash",
      created_at < clock_timestamp() - ${retentionDays}::int * interval '24 hours' as "isExpired"
    from kernel_outbox_event where event_id = any(${supplied}::uuid[])
  `.execute(db);
  return rows;
}
