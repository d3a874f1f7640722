import { sql, type Kysely } from 'kysely';
import { timeText } from '../sealing/entry-text.sql.js';
import type { LedgerFault } from '../sealing/verification.js';
import type { VerificationState } from './verification-state.js';

export interface StoredState extends VerificationState {
  signature: Buffer;
}

/** Undefined before the first look. */
export async function readState(db: Kysely<unknown>): Promise<StoredState | undefined> {
  const { rows } = await sql<StateRow>`
    select batch_number as "batchNumber", ${timeText('to_time')} as "toTime", seal, ${timeText('began_at')} as "beganAt",
      ${timeText('ended_at')} as "endedAt", signature, fault, fault_batch_number as "faultBatchNumber",
      fault_entry_id as "faultEntryId", ${timeText('fault_seen_at')} as "faultSeenAt",
      is_fault_ordered as "isFaultOrdered"
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
  fault: LedgerFault | null;
  faultBatchNumber: number | null;
  faultEntryId: string | null;
  faultSeenAt: string | null;
  isFaultOrdered: boolean;
}

function toState(row: StateRow): StoredState {
  const { batchNumber, toTime, seal, beganAt, endedAt, signature } = row;
  return {
    ...{ place: { batchNumber, toTime, seal }, beganAt, endedAt, signature },
    finding: row.fault && {
      fault: row.fault,
      batchNumber: row.faultBatchNumber!,
      entryId: row.faultEntryId,
      seenAt: row.faultSeenAt!,
      isOrdered: row.isFaultOrdered,
    },
  };
}
