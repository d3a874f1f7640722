import { sql, type Kysely, type RawBuilder } from 'kysely';
import { eventsOfTrace } from '../../audit/find-events-of-trace.sql.js';

export interface EventFilter {
  eventId?: string;
  tenantId?: string;
  type?: string;
  streamKey?: string;
  traceId?: string;
  /** Inclusive. */
  since?: string;
  /** Exclusive. */
  until?: string;
  /** Only what comes after this position. */
  before?: EventPosition;
  limit: number;
}

/** Ids may come from the host and say nothing of age, so the time orders and the id only tells equal times apart. */
export interface EventPosition {
  /** To the microsecond: rounded, it would skip or repeat rows. */
  createdAt: string;
  eventId: string;
}

export interface StoredEvent extends EventPosition {
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  payloadHash: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  status: 'PENDING' | 'PUBLISHED';
  publishedAt: string | null;
}

/** Newest first. */
export async function selectEvents(db: Kysely<unknown>, filter: EventFilter): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", type,
      occurred_at::text as "occurredAt", trace_id as "traceId", actor_id as "actorId",
      payload_jsonb::text as "payloadJson", payload_hash as "payloadHash", aggregate_type as "aggregateType",
      aggregate_id as "aggregateId", attributes::text as "attributesJson", status,
      to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
      published_at::text as "publishedAt"
    from kernel_outbox_event
    where ${sql.join(conditionsOf(filter), sql` and `)}
    order by created_at desc, event_id desc
    limit ${filter.limit}
  `.execute(db);
  return rows;
}

function conditionsOf(filter: EventFilter): RawBuilder<unknown>[] {
  const { eventId, tenantId, type, streamKey, traceId, since, until, before } = filter;
  return [
    sql`true`,
    eventId !== undefined && sql`event_id = ${eventId}::uuid`,
    tenantId !== undefined && sql`tenant_id = ${tenantId}::uuid`,
    type !== undefined && sql`type = ${type}`,
    streamKey !== undefined && sql`stream_key = ${streamKey}`,
    traceId !== undefined && hasTrace(traceId),
    since && sql`created_at >= ${since}::timestamptz`,
    until && sql`created_at < ${until}::timestamptz`,
    before && sql`(created_at, event_id) < (${before.createdAt}::timestamptz, ${before.eventId}::uuid)`,
  ].filter((condition) => typeof condition === 'object');
}

/** What was routed is found by the ledger's index; what is pending is read through, for want of one. */
function hasTrace(traceId: string): RawBuilder<unknown> {
  return sql`trace_id = ${traceId} and event_id in (
    ${eventsOfTrace(traceId)}
    union all
    select event_id from kernel_outbox_event where status = 'PENDING' and trace_id = ${traceId}
  )`;
}
