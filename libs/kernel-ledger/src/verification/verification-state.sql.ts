import { sql, type Kysely } from 'kysely';
import { timeText } from '../sealing/entry-text.sql.js';
import type { Finding, RecalledState, VerificationState } from './verification-state.js';

const VERIFICATION_TURN = 310_123;

/**
 * Lets one process at a time verify in the background. Sequential scans are off, so that reads use the index whatever
 * the planner estimates.
 */
export async function takeVerificationTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${VERIFICATION_TURN}) as mine, set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
  `.execute(trx);
  return rows[0]!.mine;
}

/** Waits for the running verification, for results that must not be lost. */
export async function awaitVerificationTurn(trx: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${VERIFICATION_TURN})`.execute(trx);
}

export interface StoredState extends RecalledState {
  signature: Buffer;
}

/** Undefined before the first round. */
export async function readState(db: Kysely<unknown>): Promise<StoredState | undefined> {
  const { rows } = await sql<StateRow>`
    select batch_number as "batchNumber", ${timeText('to_time')} as "toTime", seal, ${timeText('began_at')} as "beganAt",
      ${timeText('ended_at')} as "endedAt", signature, fault, fault_batch_number as "faultBatchNumber",
      fault_entry_id as "faultEntryId", ${timeText('fault_seen_at')} as "faultSeenAt",
      is_fault_ordered as "isFaultOrdered", round::float8 as round
    from kernel_ledger_verification
  `.execute(db);
  return rows[0] && toState(rows[0]);
}

interface StateRow {
  batchNumber: number;
  toTime: string;
  seal: Buffer;
  beganAt: string;
  endedAt: string | null;
  signature: Buffer;
  fault: Finding['fault'] | null;
  faultBatchNumber: number | null;
  faultEntryId: string | null;
  faultSeenAt: string | null;
  isFaultOrdered: boolean;
  round: number;
}

function toState(row: StateRow): StoredState {
  const { batchNumber, toTime, seal, beganAt, endedAt, signature, round } = row;
  return {
    ...{ place: { batchNumber, toTime, seal }, beganAt, endedAt, signature, round },
    finding: row.fault && {
      fault: row.fault,
      batchNumber: row.faultBatchNumber!,
      entryId: row.faultEntryId,
      seenAt: row.faultSeenAt!,
      isOrdered: row.isFaultOrdered,
    },
  };
}

/** The database counts the round. */
export async function saveState(
  trx: Kysely<unknown>,
  { place, beganAt, endedAt, signature, finding }: VerificationState & { signature: Buffer },
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
