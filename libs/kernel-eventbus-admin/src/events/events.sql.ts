import { sql, type Kysely, type RawBuilder } from 'kysely';
import { eventsOfTrace } from '@kernel/ledger';
import { MAX_PAGE_BYTES } from '@kernel/eventbus/engine';

export type EventStatus = 'PENDING' | 'PUBLISHED';

export interface EventFilter {
  eventId?: string;
  tenantId?: string;
  type?: string;
  streamKey?: string;
  status?: EventStatus;
  traceId?: string;
  /** Inclusive. */
  since?: string;
  /** Exclusive. */
  until?: string;
  /** Only events after this position in the list. */
  before?: EventPosition;
  /** Last position to include. */
  downTo?: EventPosition;
  limit: number;
}

/** Ids may come from the host and are not ordered by age, so `createdAt` orders and the id breaks ties. */
export interface EventPosition {
  /** With microseconds: rounding would skip or repeat rows. */
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
  status: EventStatus;
  publishedAt: string | null;
}

/** Newest first. */
export async function selectEvents(db: Kysely<unknown>, filter: EventFilter): Promise<StoredEvent[]> {
  return (await selectWithin(db, filter, Number.MAX_SAFE_INTEGER)) as StoredEvent[];
}

/** One page of events, within the byte limit of a page. */
export async function selectEventPage(
  db: Kysely<unknown>,
  filter: EventFilter,
): Promise<{ rows: StoredEvent[]; isMore: boolean }> {
  const found = await selectWithin(db, { ...filter, limit: filter.limit + 1 }, MAX_PAGE_BYTES);
  const rows = found.slice(0, filter.limit).filter((event) => event.payloadJson !== null) as StoredEvent[];
  return { rows, isMore: rows.length < found.length };
}

/** Finds positions in index order, then reads the rows. Omits payloads once the previous ones reach `maxBytes`. */
async function selectWithin(
  db: Kysely<unknown>,
  filter: EventFilter,
  maxBytes: number,
): Promise<(Omit<StoredEvent, 'payloadJson'> & { payloadJson: string | null })[]> {
  const { rows } = await sql<StoredEvent>`
    select e.event_id as "eventId", e.tenant_id as "tenantId", e.stream_key as "streamKey", e.type,
      e.occurred_at::text as "occurredAt", e.trace_id as "traceId", e.actor_id as "actorId",
      case when coalesce(sum(octet_length(e.payload_text)) over before_it, 0) < ${maxBytes} then e.payload_text end as "payloadJson",
      e.payload_hash as "payloadHash", e.aggregate_type as "aggregateType",
      e.aggregate_id as "aggregateId", e.attributes::text as "attributesJson", e.status,
      ${asPosition('e.created_at')} as "createdAt", e.published_at::text as "publishedAt"
    from (${eventPositions(filter)}) found
    cross join lateral (
      -- The offset prevents a hash join, which reads all events.
      select *, payload_jsonb::text as payload_text from kernel_outbox_event e where e.event_id = found.event_id offset 0
    ) e
    window before_it as (
      order by found.created_at desc, found.event_id desc rows between unbounded preceding and 1 preceding
    )
    order by found.created_at desc, found.event_id desc
  `.execute(db);
  return rows;
}

/** Positions of the events in the list. Each status has an index in this order; there is none over all statuses. */
function eventPositions(filter: EventFilter): RawBuilder<unknown> {
  const statuses: EventStatus[] = filter.status ? [filter.status] : ['PENDING', 'PUBLISHED'];
  const ofEach = statuses.map(
    (status) => sql`(
      select created_at, event_id from kernel_outbox_event
      where status = ${sql.lit(status)} and ${sql.join(conditionsOf(filter), sql` and `)}
      order by created_at desc, event_id desc limit ${filter.limit}
    )`,
  );
  return sql`
    select created_at, event_id from (${sql.join(ofEach, sql` union all `)}) event
    order by created_at desc, event_id desc limit ${filter.limit}
  `;
}

/** With microseconds, as in a cursor. */
function asPosition(column: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

function conditionsOf(filter: EventFilter): RawBuilder<unknown>[] {
  const { eventId, tenantId, type, streamKey, traceId, since, until, before, downTo } = filter;
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
    // The index covers only the time, so it gets its own condition.
    before && sql`created_at <= ${before.createdAt}::timestamptz`,
    downTo && sql`(created_at, event_id) >= (${downTo.createdAt}::timestamptz, ${downTo.eventId}::uuid)`,
    downTo && sql`created_at >= ${downTo.createdAt}::timestamptz`,
  ].filter((condition) => typeof condition === 'object');
}

/** Routed events are found by the ledger's index. Pending events have none and are scanned. */
function hasTrace(traceId: string): RawBuilder<unknown> {
  return sql`trace_id = ${traceId} and event_id in (
    ${eventsOfTrace(traceId)}
    union all
    select event_id from kernel_outbox_event where status = 'PENDING' and trace_id = ${traceId}
  )`;
}

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
