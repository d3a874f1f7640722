import { sql, type Kysely } from 'kysely';
import type { PreparedEvent } from './prepare-event.js';

/**
 * Writes any number of events with one statement, payloads as real parameters. Each stream's row is advanced, and so
 * locked, by the same statement, the last one before the commit: its numbers are gapless and in commit order. The rows are
 * taken in sorted order, so that two transactions with several streams cannot wait for each other.
 */
export async function insertEvents(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<void> {
  const column = <Key extends keyof PreparedEvent>(key: Key) => events.map((event) => event[key]);
  await sql`
    with event as (
      select *, case when is_sequenced then
        row_number() over (partition by tenant_id, stream_key, is_sequenced order by position) end as place
      from unnest(
        ${column('eventId')}::uuid[], ${column('tenantId')}::uuid[], ${column('streamKey')}::text[],
        ${column('type')}::text[], ${column('occurredAt')}::timestamptz[], ${column('traceId')}::text[],
        ${column('actorId')}::uuid[], ${column('payloadJson')}::text[], ${column('payloadHash')}::text[],
        ${column('aggregateType')}::text[], ${column('aggregateId')}::text[], ${column('attributesJson')}::text[],
        ${column('isSequenced')}::boolean[]
      ) with ordinality as e (
        event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id,
        payload, payload_hash, aggregate_type, aggregate_id, attributes, is_sequenced, position
      )
    ), stream as (
      insert into kernel_stream as s (tenant_id, stream_key, last_sequence)
      select tenant_id, stream_key, max(place) from event where is_sequenced group by 1, 2 order by 1, 2
      on conflict (tenant_id, stream_key) do update set last_sequence = s.last_sequence + excluded.last_sequence
      returning tenant_id, stream_key, last_sequence
    ), numbered as (
      select event.*, stream.last_sequence - max(place) over (partition by event.tenant_id, event.stream_key) + place
        as stream_sequence
      from event left join stream using (tenant_id, stream_key)
    )
    insert into kernel_outbox_event (
      event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, actor_id,
      payload_jsonb, payload_hash, aggregate_type, aggregate_id, attributes
    )
    select event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, actor_id,
      payload::jsonb, payload_hash, aggregate_type, aggregate_id, attributes::jsonb
    from numbered order by position
  `.execute(db);
}
