import { CompiledQuery, sql, type Kysely } from 'kysely';
import { prepared } from '@kernel/runtime';
import type { KnownEvent } from './duplicate-refusal.js';
import { MAX_SLICE_CHARACTERS, slicesOf, toEventRows } from './event-rows.js';
import type { PreparedEvent } from './prepare-event.js';
import { takenEventId } from './taken-event-id.js';

type EventColumn = Exclude<keyof PreparedEvent, 'isSequenced' | 'isIdSupplied' | 'idempotencyKey'>;

/**
 * Writes the events of a transaction with one statement (more for tens of megabytes), payloads as real parameters. The
 * same statement advances, and so locks, each stream's row. It is the last one before the commit: sequence numbers are
 * gapless and in commit order.
 */
export async function insertEvents(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
  maxCharacters = MAX_SLICE_CHARACTERS,
): Promise<void> {
  const [event] = events;
  if (events.length === 1) {
    await insertOneBy(event!)(db, event!);
    return;
  }
  for (const slice of slicesOf(events, maxCharacters)) {
    await INSERT_ALL(db, { rows: toEventRows(slice) });
  }
}

function insertOneBy({ isSequenced }: PreparedEvent) {
  return isSequenced ? INSERT_SEQUENCED : INSERT_UNSEQUENCED;
}

const COLUMNS = {
  text: `event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb, payload_hash,
    aggregate_type, aggregate_id, attributes, trace_parent, trace_state`,
};

const INSERT_UNSEQUENCED = prepared<EventColumn>`
  insert into kernel_outbox_event (${COLUMNS})
  values (${'eventId'}, ${'tenantId'}, ${'streamKey'}, ${'type'}, ${'occurredAt'}, ${'traceId'}, ${'actorId'},
    ${'payloadJson'}, ${'payloadHash'}, ${'aggregateType'}, ${'aggregateId'}, ${'attributesJson'}, ${'traceParent'},
    ${'traceState'})
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
    ${'aggregateType'}::text, ${'aggregateId'}::text, ${'attributesJson'}::jsonb, ${'traceParent'}::text,
    ${'traceState'}::text
  from stream
`;

/**
 * One parameter for all rows, see `toEventRows`. Streams are locked in order before the first event is written, so that
 * two transactions with several streams cannot deadlock.
 */
const insertAll = ({ condition, answer }: Record<'condition' | 'answer', { text: string }>) => prepared<'rows', object>`
  with e as materialized (
    select * from jsonb_to_recordset(${'rows'}::jsonb) as e (
      position int, behind int, event_id uuid, tenant_id uuid, stream_key text, type text, occurred_at timestamptz,
      trace_id text, actor_id uuid, payload jsonb, payload_hash text, aggregate_type text, aggregate_id text,
      attributes jsonb, trace_parent text, trace_state text
    ) ${condition}
  ), stream as (
    insert into kernel_stream as s (tenant_id, stream_key, last_sequence)
    select tenant_id, stream_key, count(*) from e where behind is not null
    group by tenant_id, stream_key
    order by tenant_id, stream_key collate "C"
    on conflict (tenant_id, stream_key) do update set last_sequence = s.last_sequence + excluded.last_sequence
    returning tenant_id, stream_key, last_sequence
  )
  insert into kernel_outbox_event (stream_sequence, ${COLUMNS})
  select stream.last_sequence - e.behind, e.event_id, e.tenant_id, e.stream_key, e.type, e.occurred_at, e.trace_id,
    e.actor_id, e.payload, e.payload_hash, e.aggregate_type, e.aggregate_id, e.attributes, e.trace_parent,
    e.trace_state
  from e
  left join stream on e.behind is not null and stream.tenant_id = e.tenant_id and stream.stream_key = e.stream_key
  order by e.position
  ${answer}
`;

const INSERT_ALL = insertAll({ condition: { text: '' }, answer: { text: '' } });

/** The condition holds once the transaction has an id. It is evaluated once, before the statement takes one itself. */
const INSERT_WITHIN = insertAll({
  condition: { text: 'where (select pg_current_xact_id_if_assigned() is not null)' },
  answer: { text: 'returning event_id' },
});

/** Writes the events like `insertEvents`, or none and returns false if no transaction with an id runs. */
export async function insertEventsWithin(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<boolean> {
  for (const slice of slicesOf(events, MAX_SLICE_CHARACTERS)) {
    const written = await INSERT_WITHIN(db, { rows: toEventRows(slice) });
    if (written.length === 0) {
      return false;
    }
  }
  return true;
}

/** Outside of a transaction the id ends with this statement. */
export async function assignTransactionId(db: Kysely<unknown>): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('select pg_current_xact_id()'));
}

export async function isTransactionIdAssigned(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await db.executeQuery(
    CompiledQuery.raw('select where pg_current_xact_id_if_assigned() is not null'),
  );
  return rows.length > 0;
}

const SAVEPOINT = CompiledQuery.raw('savepoint kernel_outbox');
const ROLLBACK = CompiledQuery.raw('rollback to savepoint kernel_outbox');
const RELEASE = CompiledQuery.raw('release savepoint kernel_outbox');

export type InsertEvents = (db: Kysely<unknown>, events: readonly PreparedEvent[]) => Promise<void>;

export async function releaseSavepoint(db: Kysely<unknown>): Promise<void> {
  await db.executeQuery(RELEASE);
}

export interface TakenId {
  eventId: string;
  cause: unknown;
}

/**
 * Writes all of the events, or none and returns the id that is taken. The savepoint restores the streams' numbers and
 * keeps the caller's transaction alive; after success, `insert` or the commit that follows releases it.
 */
export async function insertUnlessTaken(
  db: Kysely<unknown>,
  events: readonly PreparedEvent[],
  insert: InsertEvents,
): Promise<TakenId | undefined> {
  await db.executeQuery(SAVEPOINT);
  try {
    await insert(db, events);
    return undefined;
  } catch (cause) {
    const eventId = takenEventId(cause);
    if (!eventId) {
      throw cause;
    }
    await db.executeQuery(ROLLBACK);
    await db.executeQuery(RELEASE);
    return { eventId, cause };
  }
}

/** Stored events with the supplied ids of these events. Generated ids are new and not looked up. */
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

export async function findExistingEventIds(db: Kysely<unknown>, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from kernel_outbox_event where event_id = any(${eventIds}::uuid[])
  `.execute(db);
  return rows.map((row) => row.event_id);
}

export interface AggregatePage {
  tenantId: string;
  aggregateId: string;
  aggregateType: string | undefined;
  /** The last event of the previous page. */
  after: string | undefined;
  limit: number;
}

const PLACE = sql`created_at, coalesce(stream_sequence, 0), event_id`;

/** The ids of an aggregate's events in creation order; within a stream, in sequence order. */
export async function findAggregateEvents(db: Kysely<unknown>, page: AggregatePage): Promise<string[]> {
  const { tenantId, aggregateId, aggregateType = null, after = null, limit } = page;
  const { rows } = await sql<{ eventId: string }>`
    select event_id as "eventId"
    from kernel_outbox_event
    where tenant_id = ${tenantId}::uuid and aggregate_id = ${aggregateId}::text
      and (${aggregateType}::text is null or aggregate_type = ${aggregateType}::text)
      and (${after}::uuid is null or (${PLACE}) > (
        select ${PLACE} from kernel_outbox_event where event_id = ${after}::uuid
      ))
    order by ${PLACE}
    limit ${limit}
  `.execute(db);
  return rows.map(({ eventId }) => eventId);
}
