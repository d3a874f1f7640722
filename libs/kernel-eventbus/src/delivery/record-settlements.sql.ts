import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { columnsOf, plainArray } from '../runtime/array-literal.js';
import { executeAlone } from '../runtime/prepared.js';
import { NOTE_SETTLED } from './note-settled.sql.js';
import { OUTCOME_NAMES, outcomeColumns } from './outcome-columns.sql.js';
import type { LaneRelease, Settlement } from './settlement.js';

/** Nothing was sent, so it is not known whether it kills its worker. */
const IS_DEFERRED = sql`(s.attempt_entry_id is null and s.status in ('PENDING', 'FAILED'))`;

export interface RecordedSettlements {
  /** Of the deliveries that were changed. */
  changedIds: string[];
  /** A lane was let go with something to send still in it, e.g. what was routed while its last delivery was under way. */
  hasReadyLane: boolean;
}

/**
 * Writes states and ledger entries with one statement. Each state change is fenced by its lease: a delivery that was
 * taken over, replayed or ended by an operator in between keeps what it has, and nothing is noted.
 *
 * Lanes are locked first, in the order in which routers take them, then deliveries by their id: no two statements wait for each other.
 *
 * The fence does not name the status, because what is settled has no lease: named, it would make the planner read the index
 * of all that is open instead of looking up a few rows by their key.
 */
export async function recordSettlements(
  em: EntityManager,
  unsorted: readonly Settlement[],
  workerId: string,
): Promise<RecordedSettlements> {
  const settlements = unsorted.toSorted((one, other) => (one.delivery.deliveryId < other.delivery.deliveryId ? -1 : 1));
  const delivery = columnsOf(settlements.map((settlement) => settlement.delivery));
  const outcome = outcomeColumns(settlements);
  const lanes = hasReleases(settlements) ? sql`exists (select from let_go where is_ready)` : sql`false`;
  const statement = sql<{ delivery_id: string; has_ready_lane: boolean }>`
    with ${lockLanes(settlements)} settled as (
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
        lease_until = null,
        leased_by = null,
        updated_at = clock_timestamp()
      from unnest(
        ${delivery.plain('deliveryId')}::uuid[], ${delivery.plain('leaseEpoch')}::int[],
        ${delivery.text('aggregateType')}::text[], ${delivery.text('aggregateId')}::text[],
        ${delivery.text('attributesJson')}::text[],
        ${outcome.status}::text[], ${outcome.attempts}::int[], ${outcome.statusCode}::int[],
        ${outcome.nextDelayMs}::bigint[], ${outcome.errorClass}::text[], ${outcome.error}::text[],
        ${outcome.errorRef}::text[], ${outcome.deadLetterReason}::text[],
        ${outcome.attemptEntryId}::uuid[], ${outcome.latencyMs}::int[],
        ${outcome.responseExcerpt}::text[], ${outcome.bodySha256}::text[],
        ${outcome.policyId}::uuid[], ${outcome.policyVersion}::int[],
        ${outcome.removedPaths}::int[], ${outcome.detailJson}::text[],
        ${outcome.conclusionEntryId}::uuid[], ${outcome.conclusion}::text[]
      ) as s (
        delivery_id, lease_epoch, aggregate_type, aggregate_id, attributes,
        ${sql.raw(OUTCOME_NAMES.text)}
      )
      where d.delivery_id = s.delivery_id and (d.leased_by, d.lease_epoch) = (${workerId}, s.lease_epoch)
        ${hasReleases(settlements) ? sql`and (select count(*) from locked_lane) >= 0` : sql``}
      returning d.tenant_id, d.event_id, d.event_type, d.endpoint_id, d.trace_id, s.*
    ), ${releaseLanes(settlements, workerId)}
    ${sql.raw(NOTE_SETTLED.text)}
    select delivery_id, ${lanes} as has_ready_lane from settled
  `;
  const rows = await executeAlone(em, statement);
  return { changedIds: rows.map((row) => row.delivery_id), hasReadyLane: rows[0]?.has_ready_lane ?? false };
}

function hasReleases(settlements: readonly Settlement[]): boolean {
  return settlements.some(({ laneRelease }) => laneRelease);
}

function lockLanes(settlements: readonly Settlement[]): RawBuilder<unknown> {
  if (!hasReleases(settlements)) {
    return sql``;
  }
  const laneIds = settlements.flatMap(({ laneRelease }) => laneRelease?.laneId ?? []);
  return sql`
    locked_lane as materialized (
      select lane_id from kernel_lane where lane_id = any(${plainArray(laneIds)}::uuid[])
      order by endpoint_id, tenant_id, stream_key
      for no key update
    ),
  `;
}

/**
 * Lets go of the lanes whose run ends with one of these settlements. A lane that stops gives back what was fetched behind its head. One
 * that was lost meanwhile gives back nothing: this worker may have claimed it anew.
 */
function releaseLanes(settlements: readonly Settlement[], workerId: string): RawBuilder<unknown> {
  const released = settlements.flatMap(({ delivery: { deliveryId }, nextDelayMs, laneRelease }) =>
    laneRelease ? { deliveryId, nextDelayMs, ...laneRelease } : [],
  );
  if (released.length === 0) {
    return sql``;
  }
  const { plain } = columnsOf(released);
  return sql`
    let_go as (
      update kernel_lane l
      set lease_until = null, leased_by = null,
        is_suspect = l.is_suspect and settled.attempt_entry_id is null and settled.status in ('PENDING', 'FAILED'),
        ready_at = case
          when r.what = 'block' then null
          when r.what = 'wait' then clock_timestamp() + r.next_delay_ms * interval '1 millisecond'
          when r.what = 'go-on' or l.wake_count <> r.wake_count then clock_timestamp()
        end,
        blocked_by = case when r.what = 'block' then r.delivery_id end,
        blocked_at = case when r.what = 'block' then clock_timestamp() end
      from unnest(
        ${plain('laneId')}::uuid[], ${plain('laneEpoch')}::int[], ${plain('wakeCount')}::int[], ${plain('then')}::text[],
        ${plain('deliveryId')}::uuid[], ${plain('nextDelayMs')}::bigint[]
      ) as r (lane_id, lease_epoch, wake_count, what, delivery_id, next_delay_ms)
      join settled on settled.delivery_id = r.delivery_id
      where l.lane_id = r.lane_id and (l.leased_by, l.lease_epoch) = (${workerId}, r.lease_epoch)
      returning l.lane_id, l.ready_at <= clock_timestamp() as is_ready, r.what in ('wait', 'block') as is_stopped
    ), ${giveBackRest(released, settlements, workerId)}
  `;
}

function giveBackRest(
  released: readonly LaneRelease[],
  settlements: readonly Settlement[],
  workerId: string,
): RawBuilder<unknown> {
  if (!released.some(({ then }) => then === 'wait' || then === 'block')) {
    return sql``;
  }
  return sql`
    given_back as (
      update kernel_webhook_delivery d
      set lease_until = null, leased_by = null
      from let_go
      where d.lane_id = let_go.lane_id and let_go.is_stopped and d.leased_by = ${workerId} and d.status in ('PENDING', 'FAILED')
        and d.delivery_id <> all(${plainArray(settlements.map(({ delivery }) => delivery.deliveryId))}::uuid[])
    ),
  `;
}
