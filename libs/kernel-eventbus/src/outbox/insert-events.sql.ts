import type { Kysely } from 'kysely';
import { columnsOf, plainArray } from '../runtime/array-literal.js';
import { prepared } from '../runtime/prepared.js';
import { countStreams } from './count-streams.js';
import type { PreparedEvent } from './prepare-event.js';

type EventColumn = Exclude<keyof PreparedEvent, 'isSequenced' | 'isIdSupplied' | 'idempotencyKey'>;

/**
 * Writes the events of a transaction with one statement, payloads as real parameters. Each stream's row is advanced, and so
 * locked, by the same statement, the last one before the commit: its numbers are gapless and in commit order.
 */
export async function insertEvents(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<void> {
  const [event] = events;
  if (events.length > 1) {
    await INSERT_ALL(db, columnsFor(events));
  } else {
    await insertOneBy(event!)(db, event!);
  }
}

function insertOneBy({ isSequenced }: PreparedEvent) {
  return isSequenced ? INSERT_SEQUENCED : INSERT_UNSEQUENCED;
}

function columnsFor(events: readonly PreparedEvent[]) {
  const { streams, behind } = countStreams(events);
  const stream = columnsOf(streams);
  const { plain, text } = columnsOf(events);
  return {
    streamTenantId: stream.plain('tenantId'),
    countedStreamKey: stream.text('streamKey'),
    count: stream.plain('count'),
    behind: plainArray(behind),
    eventId: plain('eventId'),
    tenantId: plain('tenantId'),
    streamKey: text('streamKey'),
    type: text('type'),
    occurredAt: plain('occurredAt'),
    traceId: text('traceId'),
    actorId: plain('actorId'),
    payloadJson: text('payloadJson'),
    payloadHash: text('payloadHash'),
    aggregateType: text('aggregateType'),
    aggregateId: text('aggregateId'),
    attributesJson: text('attributesJson'),
    traceParent: plain('traceParent'),
  };
}

const COLUMNS = {
  text: `event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb, payload_hash,
    aggregate_type, aggregate_id, attributes, trace_parent`,
};

const INSERT_UNSEQUENCED = prepared<EventColumn>`
  insert into kernel_outbox_event (${COLUMNS})
  values (${'eventId'}, ${'tenantId'}, ${'streamKey'}, ${'type'}, ${'occurredAt'}, ${'traceId'}, ${'actorId'},
    ${'payloadJson'}, ${'payloadHash'}, ${'aggregateType'}, ${'aggregateId'}, ${'attributesJson'}, ${'traceParent'})
`;

const INSERT_SEQUENCED = prepared<EventColumn>`
  with stream as (
    insert into kernel_stream as s (tenant_id, stream_key, last_sequence)
    values (${'tenantId'}::uuid, ${'streamKey'}::text, 1)
    on conflict (tenant_id, stream_key) do update set last_sequence = s.last_sequence + 1
    returning last_sequence
  )
  insert into kernel_outbox_event (stream_sequence, ${COLUMNS})
  select last_sequence, ${'eventId'}::uuid, ${'tenantId'}::uuid, ${'streamKey'}::text, ${'type'}::text,
    ${'occurredAt'}::timestamptz, ${'traceId'}::text, ${'actorId'}::uuid, ${'payloadJson'}::jsonb, ${'payloadHash'}::text,
    ${'aggregateType'}::text, ${'aggregateId'}::text, ${'attributesJson'}::jsonb, ${'traceParent'}::text
  from stream
`;

/** `behind` says how many of the same stream follow in this transaction; null for an event that takes no number. */
const INSERT_ALL = prepared<EventColumn | 'streamTenantId' | 'countedStreamKey' | 'count' | 'behind'>`
  with stream as (
    insert into kernel_stream as s (tenant_id, stream_key, last_sequence)
    select * from unnest(${'streamTenantId'}::uuid[], ${'countedStreamKey'}::text[], ${'count'}::bigint[])
    on conflict (tenant_id, stream_key) do update set last_sequence = s.last_sequence + excluded.last_sequence
    returning tenant_id, stream_key, last_sequence
  )
  insert into kernel_outbox_event (stream_sequence, ${COLUMNS})
  select stream.last_sequence - e.behind, e.event_id, e.tenant_id, e.stream_key, e.type, e.occurred_at, e.trace_id,
    e.actor_id, e.payload::jsonb, e.payload_hash, e.aggregate_type, e.aggregate_id, e.attributes::jsonb,
    e.trace_parent
  from unnest(
    ${'eventId'}::uuid[], ${'tenantId'}::uuid[], ${'streamKey'}::text[], ${'type'}::text[],
    ${'occurredAt'}::timestamptz[], ${'traceId'}::text[], ${'actorId'}::uuid[], ${'payloadJson'}::text[],
    ${'payloadHash'}::text[], ${'aggregateType'}::text[], ${'aggregateId'}::text[], ${'attributesJson'}::text[],
    ${'traceParent'}::text[], ${'behind'}::int[]
  ) with ordinality as e (
    event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload, payload_hash, aggregate_type,
    aggregate_id, attributes, trace_parent, behind, position
  )
  left join stream on e.behind is not null and stream.tenant_id = e.tenant_id and stream.stream_key = e.stream_key
  order by e.position
`;
