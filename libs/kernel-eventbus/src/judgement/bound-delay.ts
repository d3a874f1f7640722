import type { Outcome } from './judge-attempt.js';

/** Maximum delay of a retry: 30 days. */
export const MAX_DELAY_MS = 30 * 24 * 3_600_000;

/** Limits the delay that a host's backoff or judge returns. If it is no number, the default backoff replaces it. */
export function boundDelay(outcome: Outcome, defaultMs: () => number): Outcome {
  if (outcome.kind !== 'retry') {
    return outcome;
  }
  const delayMs = Number.isNaN(Number(outcome.delayMs)) ? defaultMs() : Number(outcome.delayMs);
  return { ...outcome, delayMs: Math.round(Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)) };
}
