import { EventRefusedError, NotAnEventError, SignatureInvalidError } from '../inbox.errors.js';

export type Verdict = { kind: 'give-up' } | { kind: 'again'; delayMs: number };

export interface FailureTerms {
  deliveries: number;
  initialDelayMs: number;
  maxDelayMs: number;
  unverified: 'wait' | 'give-up';
}

/**
 * Gives up on messages that are signed but cannot be processed. An invalid signature may mean that a key is not
 * configured yet, so that message waits and is logged but not lost, unless the stream has other writers (`give-up`).
 */
export function judgeFailure(
  error: unknown,
  { deliveries, initialDelayMs, maxDelayMs, unverified }: FailureTerms,
): Verdict {
  if (error instanceof NotAnEventError || error instanceof EventRefusedError) {
    return { kind: 'give-up' };
  }
  if (error instanceof SignatureInvalidError && unverified === 'give-up') {
    return { kind: 'give-up' };
  }
  return { kind: 'again', delayMs: Math.min(initialDelayMs * 2 ** Math.min(deliveries - 1, 30), maxDelayMs) };
}
