import { sql, type Kysely } from 'kysely';
import type { PreparedEvent } from './prepare-event.js';

/** Writes any number of events with one statement, payloads as real parameters. */
export async function insertEvents(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<void> {
  const column = <Key extends keyof PreparedEvent>(key: Key) => events.map((event) => event[key]);
  await sql`
    insert into kernel_outbox_event (
      event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id,
      payload_jsonb, payload_hash, aggregate_type, aggregate_id, attributes
    )
    select e.event_id, e.tenant_id, e.stream_key, e.type, e.occurred_at, e.trace_id, e.actor_id,
      e.payload::jsonb, e.payload_hash, e.aggregate_type, e.aggregate_id, e.attributes::jsonb
    from unnest(
      ${column('eventId')}::uuid[], ${column('tenantId')}::uuid[], ${column('streamKey')}::text[],
      ${column('type')}::text[], ${column('occurredAt')}::timestamptz[], ${column('traceId')}::text[],
      ${column('actorId')}::uuid[], ${column('payloadJson')}::text[], ${column('payloadHash')}::text[],
      ${column('aggregateType')}::text[], ${column('aggregateId')}::text[], ${column('attributesJson')}::text[]
    ) as e (
      event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id,
      payload, payload_hash, aggregate_type, aggregate_id, attributes
    )
  `.execute(db);
}
