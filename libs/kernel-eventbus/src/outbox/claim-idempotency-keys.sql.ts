import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import type { KeyedEvent } from './keyed-event.js';

/**
 * Takes the keys that are free, in the caller's transaction, and returns the ids of their events. A key that another
 * transaction is about to take is waited for. They come in order, lest two transactions wait for each other.
 */
export async function claimIdempotencyKeys(db: Kysely<unknown>, events: readonly KeyedEvent[]): Promise<string[]> {
  const { plain, text } = columnsOf(events);
  const { rows } = await sql<{ event_id: string }>`
    insert into kernel_idempotency_key (
      tenant_id, key, event_id, stream_key, type, occurred_at, trace_id, actor_id, payload_hash, attributes_hash
    )
    select * from unnest(
      ${plain('tenantId')}::uuid[], ${text('key')}::text[], ${plain('eventId')}::uuid[], ${text('streamKey')}::text[],
      ${text('type')}::text[], ${plain('occurredAt')}::timestamptz[], ${text('traceId')}::text[],
      ${plain('actorId')}::uuid[], ${plain('payloadHash')}::text[], ${plain('attributesHash')}::text[]
    ) as e (
      tenant_id, key, event_id, stream_key, type, occurred_at, trace_id, actor_id, payload_hash, attributes_hash
    )
    order by tenant_id, key
    on conflict (tenant_id, key) do nothing
    returning event_id
  `.execute(db);
  return rows.map((row) => row.event_id);
}
