export interface BackoffPolicy {
  initialDelayMs: number;
  maxDelayMs: number;
}

/** Milliseconds to wait after the n-th failure. `fraction` is random: at least 0, below 1. */
export type BackoffStrategy = (failures: number, policy: BackoffPolicy, fraction: number) => number;

const MAX_JITTER = 0.2;

/** ADR-4: min(initial * 2^(n-1), max) after the n-th failure, plus up to 20 % so that retries spread; never early. */
export function backoffMs(failures: number, policy: BackoffPolicy, fraction: number): number {
  const delayMs = Math.min(policy.initialDelayMs * 2 ** (failures - 1), policy.maxDelayMs);
  return Math.round(delayMs * (1 + MAX_JITTER * fraction));
}
