import type { BrokenPlace } from './verification.js';
import type { VerifiedPlace } from './verified-place.js';

export interface Finding extends BrokenPlace {
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
