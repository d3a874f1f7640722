import type { Outcome } from './judge-attempt.js';

/** The longest pause before a retry: 30 days. */
export const MAX_DELAY_MS = 30 * 24 * 3_600_000;

/** A delay that the database takes, whatever a host's backoff or judge returns. What is no number is replaced by the default backoff. */
export function boundDelay(outcome: Outcome, defaultMs: () => number): Outcome {
  if (outcome.kind !== 'retry') {
    return outcome;
  }
  const delayMs = Number.isNaN(Number(outcome.delayMs)) ? defaultMs() : Number(outcome.delayMs);
  return { ...outcome, delayMs: Math.round(Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)) };
}
