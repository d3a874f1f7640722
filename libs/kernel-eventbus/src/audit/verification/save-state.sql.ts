import { sql, type Kysely } from 'kysely';
import type { StoredState } from './read-state.sql.js';

export async function saveState(
  trx: Kysely<unknown>,
  { place, beganAt, endedAt, signature, finding }: StoredState,
): Promise<void> {
  await sql`
    insert into kernel_ledger_verification (
      batch_number, to_time, seal, began_at, ended_at, signature, fault, fault_batch_number, fault_entry_id,
      fault_seen_at, is_fault_ordered
    )
    values (
      ${place.batchNumber}, ${place.toTime}::timestamptz, ${place.seal}, ${beganAt}::timestamptz,
      ${endedAt}::timestamptz, ${signature}, ${finding?.fault ?? null}, ${finding?.batchNumber ?? null},
      ${finding?.entryId ?? null}, ${finding?.seenAt ?? null}::timestamptz, ${finding?.isOrdered ?? false}
    )
    on conflict (is_single) do update set
      batch_number = excluded.batch_number, to_time = excluded.to_time, seal = excluded.seal,
      began_at = excluded.began_at, ended_at = excluded.ended_at, signature = excluded.signature,
      fault = excluded.fault, fault_batch_number = excluded.fault_batch_number,
      fault_entry_id = excluded.fault_entry_id, fault_seen_at = excluded.fault_seen_at,
      is_fault_ordered = excluded.is_fault_ordered
  `.execute(trx);
}
