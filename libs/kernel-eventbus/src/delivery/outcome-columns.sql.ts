import { columnsOf } from '../runtime/array-literal.js';
import type { AttemptEntry, ConclusionEntry, Settlement } from './settlement.js';

/** Outcomes and their ledger entries as arrays, for a statement that writes many of them. */
export function outcomeColumns(settlements: readonly Settlement[]) {
  const outcome = columnsOf(settlements);
  const attempt = columnsOf(settlements.map((settlement) => settlement.attempt ?? NOTHING));
  const conclusion = columnsOf(settlements.map((settlement) => settlement.conclusion ?? NOTHING));
  return {
    status: outcome.plain('status'),
    attempts: outcome.plain('attempts'),
    statusCode: outcome.plain('statusCode'),
    nextDelayMs: outcome.plain('nextDelayMs'),
    errorClass: outcome.text('errorClass'),
    error: outcome.text('error'),
    errorRef: outcome.plain('errorRef'),
    deadLetterReason: outcome.text('deadLetterReason'),
    attemptEntryId: attempt.plain('entryId'),
    latencyMs: attempt.plain('latencyMs'),
    responseExcerpt: attempt.text('responseExcerpt'),
    bodySha256: attempt.plain('bodySha256'),
    policyId: attempt.plain('policyId'),
    policyVersion: attempt.plain('policyVersion'),
    removedPaths: attempt.plain('removedPaths'),
    detailJson: attempt.text('detailJson'),
    conclusionEntryId: conclusion.plain('entryId'),
    conclusion: conclusion.plain('kind'),
  };
}

/** Stands where a settlement has no such entry: all its columns are null. */
const NOTHING: Partial<AttemptEntry & ConclusionEntry> = {};

/** The names of these columns, for `unnest`, in the same order. */
export const OUTCOME_NAMES = {
  text: `
    status, attempts, status_code, next_delay_ms, error_class, error, error_ref, dead_letter_reason,
    attempt_entry_id, latency_ms, response_excerpt, body_sha256, policy_id, policy_version, removed_paths, detail,
    conclusion_entry_id, conclusion`,
};
