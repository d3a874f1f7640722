import type { BrokenPlace, LedgerFault } from './verification.js';
import { BEGINNING, type VerifiedPlace } from './verified-place.js';

export interface Finding extends Omit<BrokenPlace, 'fault'> {
  /** `verification-altered`: the stored state had no valid signature, so its finding and position are lost. */
  fault: LedgerFault | 'verification-altered';
  /** Time of the last round that saw it. */
  seenAt: string;
  /** Found by a requested verification; only another one, which covers the whole ledger, clears it. */
  isOrdered: boolean;
}

/** Progress kept between rounds. Times are text with microseconds, as read from the database. */
export interface VerificationState {
  place: VerifiedPlace;
  /** Start of the current full pass. */
  beganAt: string;
  /** Last time the end was reached. */
  endedAt: string | null;
  finding: Finding | null;
}

export interface RecalledState extends VerificationState {
  /** Number of times that the row was written; 0 without a row. */
  round: number;
}

/** The state before the first round. */
export function initialState(now: string): RecalledState {
  return { place: BEGINNING, beganAt: now, endedAt: null, finding: null, round: 0 };
}

/** The state in place of one that was altered. Background rounds do not clear the finding. */
export function alteredState({ round }: RecalledState, now: string): RecalledState {
  const finding = { fault: 'verification-altered' as const, batchNumber: 0, entryId: null };
  return { ...initialState(now), finding: { ...finding, seenAt: now, isOrdered: true }, round };
}

/**
 * True if a new full pass is due: the last one reached the end and started more than `wholeHours` ago. False while
 * there is a finding, so that only a walk past that position can clear it.
 */
export function isWholeDue({ beganAt, endedAt, finding }: VerificationState, now: string, wholeHours: number): boolean {
  const isEnded = endedAt !== null && endedAt >= beganAt;
  return !finding && isEnded && Date.parse(now) - Date.parse(beganAt) >= wholeHours * 3_600_000;
}

/** The signed text: every field, and the round, which the database counts, so that an earlier row is not valid again. */
export function stateMessage({ place, beganAt, endedAt, finding, round }: RecalledState): string {
  const { batchNumber, toTime, seal } = place;
  return JSON.stringify([
    'kernel-ledger-verification/2',
    round,
    batchNumber,
    toTime,
    seal.toString('hex'),
    beganAt,
    endedAt,
    finding && [finding.fault, finding.batchNumber, finding.entryId, finding.seenAt, finding.isOrdered],
  ]);
}

/**
 * The text signed by versions that did not count rounds. It does not cover the finding and stays valid when put back, so
 * it is accepted in round 0 only: the migration sets that round, and the trigger ends it with the next write.
 */
export function stateMessageOfRoundZero({ place, beganAt, endedAt }: VerificationState): string {
  const { batchNumber, toTime, seal } = place;
  return JSON.stringify(['kernel-ledger-verification/1', batchNumber, toTime, seal.toString('hex'), beganAt, endedAt]);
}
