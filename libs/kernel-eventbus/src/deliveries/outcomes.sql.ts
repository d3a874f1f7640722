import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { KERNEL_ACTOR } from '@kernel/ledger';
import type { AttemptEntry, AttemptRecord, LaneRelease, UnsentEntry } from './attempt-record.js';
import { columnsOf, plainArray, executeAlone } from '@kernel/runtime';
import { CLEAR_LEASE } from './lease-columns.sql.js';
import { releaseFetched } from './leases.sql.js';

/** Nothing was sent, so it is not known whether the delivery crashes its worker. */
const IS_DEFERRED = sql`(s.kind is distinct from 'attempt' and s.status in ('PENDING', 'FAILED'))`;

export interface RecordedOutcomes {
  /** Ids of the deliveries that were changed. */
  changedIds: string[];
  /** A released lane has more to send, e.g. an event routed while its last delivery was in flight. */
  hasReadyLane: boolean;
}

/**
 * Delivery, with its lease: PENDING, FAILED --> DELIVERED (2xx), FAILED (transient failure) or DLQ (permanent failure,
 * last attempt failed); deferred, it keeps its status. Lane, on the last outcome of its run: see `releaseLanes`.
 *
 * States and ledger entries are one statement. Each change is fenced by its lease: a delivery that was taken over,
 * replayed or dead-lettered by an operator in between stays as it is, and gets no ledger entry.
 *
 * Lanes are locked first, in the order of routers, then deliveries by id: no two statements wait for each other.
 *
 * The fence does not name the status, because a finished delivery has no lease: with it, the planner would read the
 * index of all open deliveries instead of looking up a few rows by key.
 */
export async function recordOutcomes(
  em: EntityManager,
  unsorted: readonly AttemptRecord[],
  workerId: string,
): Promise<RecordedOutcomes> {
  const records = unsorted.toSorted((one, other) => (one.delivery.deliveryId < other.delivery.deliveryId ? -1 : 1));
  const delivery = columnsOf(records.map((record) => record.delivery));
  const outcome = outcomeColumns(records);
  const hasReadyLane = releasesLanes(records) ? sql`exists (select from released_lane where is_ready)` : sql`false`;
  const statement = sql<{ delivery_id: string; has_ready_lane: boolean }>`
    with ${lockLanes(records)} recorded as (
      update kernel_webhook_delivery d
      set status = s.status,
        attempts = s.attempts,
        last_status_code = coalesce(s.status_code, d.last_status_code),
        next_attempt_at = clock_timestamp() + s.next_delay_ms * interval '1 millisecond',
        error_class = coalesce(s.error_class, d.error_class),
        last_error = coalesce(s.error, d.last_error),
        last_error_ref = coalesce(s.error_ref, d.last_error_ref),
        last_error_at = case when s.error_ref is null then d.last_error_at else clock_timestamp() end,
        dead_letter_reason = s.dead_letter_reason,
        settled_at = case when s.status in ('DELIVERED', 'DLQ') then clock_timestamp() end,
        is_suspect = d.is_suspect and ${IS_DEFERRED},
        crashes = case when ${IS_DEFERRED} then d.crashes else 0 end,
        lonely_deaths = case when ${IS_DEFERRED} then d.lonely_deaths else 0 end,
        ${CLEAR_LEASE},
        updated_at = clock_timestamp()
      from unnest(
        ${delivery.plain('deliveryId')}::uuid[], ${delivery.plain('leaseEpoch')}::int[],
        ${delivery.text('aggregateType')}::text[], ${delivery.text('aggregateId')}::text[],
        ${delivery.text('attributesJson')}::text[],
        ${outcome.status}::text[], ${outcome.attempts}::int[], ${outcome.statusCode}::int[],
        ${outcome.nextDelayMs}::bigint[], ${outcome.errorClass}::text[], ${outcome.error}::text[],
        ${outcome.errorRef}::text[], ${outcome.deadLetterReason}::text[],
        ${outcome.entryId}::uuid[], ${outcome.kind}::text[], ${outcome.latencyMs}::int[],
        ${outcome.responseExcerpt}::text[], ${outcome.bodySha256}::text[],
        ${outcome.policyId}::uuid[], ${outcome.policyVersion}::int[],
        ${outcome.removedPaths}::int[], ${outcome.detailJson}::text[]
      ) as s (
        delivery_id, lease_epoch, aggregate_type, aggregate_id, attributes,
        status, attempts, status_code, next_delay_ms, error_class, error, error_ref, dead_letter_reason,
        entry_id, kind, latency_ms, response_excerpt, body_sha256, policy_id, policy_version, removed_paths, detail
      )
      where d.delivery_id = s.delivery_id and (d.leased_by, d.lease_epoch) = (${workerId}, s.lease_epoch)
        ${releasesLanes(records) ? sql`and (select count(*) from locked_lane) >= 0` : sql``}
      returning d.tenant_id, d.event_id, d.event_type, d.endpoint_id, d.trace_id, s.*
    ), ${releaseLanes(records, workerId)}
    ${LEDGER_ENTRIES_CTE}
    select delivery_id, ${hasReadyLane} as has_ready_lane from recorded
  `;
  const rows = await executeAlone(em, statement);
  return { changedIds: rows.map((row) => row.delivery_id), hasReadyLane: rows[0]?.has_ready_lane ?? false };
}

function releasesLanes(records: readonly AttemptRecord[]): boolean {
  return records.some(({ laneRelease }) => laneRelease);
}

function lockLanes(records: readonly AttemptRecord[]): RawBuilder<unknown> {
  if (!releasesLanes(records)) {
    return sql``;
  }
  const laneIds = records.flatMap(({ laneRelease }) => laneRelease?.laneId ?? []);
  return sql`
    locked_lane as materialized (
      select lane_id from kernel_lane where lane_id = any(${plainArray(laneIds)}::uuid[])
      order by endpoint_id, tenant_id, stream_key
      for no key update
    ),
  `;
}

/**
 * Lane, with its lease: ready --> ready (delivered, more waits), waiting (head failed, attempts left), blocked (head in
 * the DLQ) or resting (nothing waits). A lane that stops releases the deliveries fetched behind its head. One that was
 * lost meanwhile releases none: this worker may have claimed it again.
 */
function releaseLanes(records: readonly AttemptRecord[], workerId: string): RawBuilder<unknown> {
  const released = records.flatMap(({ delivery: { deliveryId }, nextDelayMs, laneRelease }) =>
    laneRelease ? { deliveryId, nextDelayMs, ...laneRelease } : [],
  );
  if (released.length === 0) {
    return sql``;
  }
  const { plain } = columnsOf(released);
  return sql`
    released_lane as (
      update kernel_lane l
      set ${CLEAR_LEASE},
        is_suspect = l.is_suspect and recorded.kind is distinct from 'attempt'
          and recorded.status in ('PENDING', 'FAILED'),
        ready_at = case
          when r.what = 'block' then null
          when r.what = 'wait' then clock_timestamp() + r.next_delay_ms * interval '1 millisecond'
          when r.what = 'go-on' or l.wake_count <> r.wake_count then clock_timestamp()
        end,
        blocked_by = case when r.what = 'block' then r.delivery_id end,
        blocked_at = case when r.what = 'block' then clock_timestamp() end
      from unnest(
        ${plain('laneId')}::uuid[], ${plain('laneEpoch')}::int[], ${plain('wakeCount')}::int[],
        ${plain('then')}::text[], ${plain('deliveryId')}::uuid[], ${plain('nextDelayMs')}::bigint[]
      ) as r (lane_id, lease_epoch, wake_count, what, delivery_id, next_delay_ms)
      join recorded on recorded.delivery_id = r.delivery_id
      where l.lane_id = r.lane_id and (l.leased_by, l.lease_epoch) = (${workerId}, r.lease_epoch)
      returning l.lane_id, l.ready_at <= clock_timestamp() as is_ready, r.what in ('wait', 'block') as is_stopped
    ), ${releaseUnsent(released, records, workerId)}
  `;
}

function releaseUnsent(
  released: readonly LaneRelease[],
  records: readonly AttemptRecord[],
  workerId: string,
): RawBuilder<unknown> {
  if (!released.some(({ then }) => then === 'wait' || then === 'block')) {
    return sql``;
  }
  return sql`
    released as (
      ${releaseFetched('released_lane', workerId)}
        and released_lane.is_stopped
        and d.delivery_id <> all(${plainArray(records.map(({ delivery }) => delivery.deliveryId))}::uuid[])
    ),
  `;
}

/** Outcomes and their ledger entries as arrays, one element per record. */
function outcomeColumns(records: readonly AttemptRecord[]) {
  const outcome = columnsOf(records);
  const entry = columnsOf(records.map((record): Entry => record.attempt ?? record.unsent ?? NO_ENTRY));
  return {
    status: outcome.plain('status'),
    attempts: outcome.plain('attempts'),
    statusCode: outcome.plain('statusCode'),
    nextDelayMs: outcome.plain('nextDelayMs'),
    errorClass: outcome.text('errorClass'),
    error: outcome.text('error'),
    errorRef: outcome.plain('errorRef'),
    deadLetterReason: outcome.text('deadLetterReason'),
    entryId: entry.plain('entryId'),
    kind: entry.plain('kind'),
    latencyMs: entry.plain('latencyMs'),
    responseExcerpt: entry.text('responseExcerpt'),
    bodySha256: entry.plain('bodySha256'),
    policyId: entry.plain('policyId'),
    policyVersion: entry.plain('policyVersion'),
    removedPaths: entry.plain('removedPaths'),
    detailJson: entry.text('detailJson'),
  };
}

type Entry = Partial<Omit<AttemptEntry, 'kind'>> & { kind?: AttemptEntry['kind'] | UnsentEntry['kind'] };

/** Stands for an entry that a record does not have: all its columns are null. */
const NO_ENTRY: Entry = {};

/** The ledger entry of each recorded outcome: the attempt with its conclusion, or the outcome without an attempt. */
const LEDGER_ENTRIES_CTE = sql.raw(`
    noted_outcomes as (
      insert into kernel_ledger_entry (
        entry_id, kind, actor, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, attempt,
        status_code, latency_ms, error_class, error, response_excerpt, policy_id, policy_version, removed_paths,
        body_sha256, reason, detail, aggregate_type, aggregate_id, attributes, conclusion
      )
      select entry_id, kind, '${KERNEL_ACTOR}', tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id,
        case when kind = 'attempt' then attempts end, status_code, latency_ms, error_class, error,
        response_excerpt, policy_id, policy_version, removed_paths, body_sha256, dead_letter_reason,
        detail::jsonb, aggregate_type, aggregate_id, attributes::jsonb,
        case when kind = 'attempt' then
          case status when 'DELIVERED' then 'delivered' when 'DLQ' then 'dead-lettered' else 'retry' end
        end
      from recorded
      where entry_id is not null
    )`);
