import { sql, type Kysely } from 'kysely';
import { LEDGER_COLUMNS, ledgerRows } from '../audit/ledger-rows.sql.js';
import type { Settlement } from './settlement.js';

/**
 * Writes states and ledger entries with one statement. Each state change is fenced by its lease: a delivery that was
 * taken over, replayed or ended by an operator in between keeps what it has. The attempt itself did happen, so its
 * entry is kept all the same. A lane that stops gives back what was fetched behind its head. Returns the ids of the deliveries that were changed.
 */
export async function recordSettlements(
  db: Kysely<unknown>,
  settlements: readonly Settlement[],
  workerId: string,
): Promise<string[]> {
  const column = <Key extends keyof Settlement>(key: Key) => settlements.map((settlement) => settlement[key]);
  const released = settlements.flatMap(({ deliveryId, nextDelayMs, laneRelease }) =>
    laneRelease ? { deliveryId, nextDelayMs, ...laneRelease } : [],
  );
  const lane = <Key extends keyof (typeof released)[number]>(key: Key) => released.map((release) => release[key]);
  const { rows } = await sql<{ delivery_id: string }>`
    with settled as (
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
        is_suspect = false,
        lonely_deaths = 0,
        lease_until = null,
        leased_by = null,
        updated_at = clock_timestamp()
      from unnest(
        ${column('deliveryId')}::uuid[], ${column('leaseEpoch')}::int[], ${column('status')}::text[],
        ${column('attempts')}::int[], ${column('statusCode')}::int[], ${column('nextDelayMs')}::bigint[],
        ${column('errorClass')}::text[], ${column('error')}::text[],
        ${column('errorRef')}::text[], ${column('deadLetterReason')}::text[]
      ) as s (
        delivery_id, lease_epoch, status, attempts, status_code, next_delay_ms,
        error_class, error, error_ref, dead_letter_reason
      )
      where d.delivery_id = s.delivery_id and d.lease_epoch = s.lease_epoch and d.leased_by = ${workerId}
        and d.status in ('PENDING', 'FAILED')
      returning d.delivery_id
    ), let_go as (
      update kernel_lane l
      set lease_until = null, leased_by = null, is_suspect = false,
        ready_at = case
          when r.what = 'block' then null
          when r.what = 'wait' then clock_timestamp() + r.next_delay_ms * interval '1 millisecond'
          when r.what = 'go-on' or l.wake_count <> r.wake_count then clock_timestamp()
        end,
        blocked_by = case when r.what = 'block' then r.delivery_id end,
        blocked_at = case when r.what = 'block' then clock_timestamp() end
      from unnest(
        ${lane('laneId')}::uuid[], ${lane('laneEpoch')}::int[], ${lane('wakeCount')}::int[], ${lane('then')}::text[],
        ${lane('deliveryId')}::uuid[], ${lane('nextDelayMs')}::bigint[]
      ) as r (lane_id, lease_epoch, wake_count, what, delivery_id, next_delay_ms)
      join settled on settled.delivery_id = r.delivery_id
      where l.lane_id = r.lane_id and l.lease_epoch = r.lease_epoch and l.leased_by = ${workerId}
    ), given_back as (
      update kernel_webhook_delivery d
      set lease_until = null, leased_by = null
      from unnest(${released.flatMap(({ laneId, then }) => (then === 'wait' || then === 'block' ? laneId : []))}::uuid[])
        as stopped (lane_id)
      where d.lane_id = stopped.lane_id and d.leased_by = ${workerId} and d.status in ('PENDING', 'FAILED')
        and d.delivery_id <> all(${column('deliveryId')}::uuid[])
    ), noted as (
      insert into kernel_ledger_entry (${LEDGER_COLUMNS})
      select l.* from ${ledgerRows(settlements.flatMap((settlement) => settlement.entries))}
      where l.kind = 'attempt' or l.delivery_id in (select delivery_id from settled)
    )
    select delivery_id from settled
  `.execute(db);
  return rows.map((row) => row.delivery_id);
}
