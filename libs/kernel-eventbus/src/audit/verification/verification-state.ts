import type { BrokenPlace } from '../sealing/verification.js';
import type { VerifiedPlace } from '../sealing/verified-place.js';

export interface Finding extends BrokenPlace {
  /** By the last look, not the first. */
  seenAt: string;
  /** Found by a verification that somebody ordered: only another one, which sees the whole, takes it back. */
  isOrdered: boolean;
}

/** What is remembered from one look to the next. Times are text with microseconds, as the database has them. */
export interface VerificationState {
  place: VerifiedPlace;
  /** When the whole was begun. */
  beganAt: string;
  /** When the end was last reached. */
  endedAt: string | null;
  finding: Finding | null;
}

/**
 * Whether to begin again with the first entry: the last pass has reached the end, and began long ago. Not while something is
 * broken, so that only what was found whole at that very place can take a finding back.
 */
export function isWholeDue({ beganAt, endedAt, finding }: VerificationState, now: string, wholeHours: number): boolean {
  const isEnded = endedAt !== null && endedAt >= beganAt;
  return !finding && isEnded && Date.parse(now) - Date.parse(beganAt) >= wholeHours * 3_600_000;
}

/** What is signed: everything that says what need not be looked at again. */
export function stateMessage({ place, beganAt, endedAt }: Omit<VerificationState, 'finding'>): string {
  const { batchNumber, toTime, seal } = place;
  return JSON.stringify(['kernel-ledger-verification/1', batchNumber, toTime, seal.toString('hex'), beganAt, endedAt]);
}
