import { EventRefusedError, NotAnEventError, SignatureInvalidError } from '../inbox.errors.js';

export type Verdict = { kind: 'give-up' } | { kind: 'again'; delayMs: number };

export interface FailureTerms {
  deliveries: number;
  initialDelayMs: number;
  maxDelayMs: number;
  unverified: 'wait' | 'give-up';
}

/**
 * Gives up what the sender has signed and nobody can take. A signature that does not fit may be a key that is not set yet, so
 * that message waits, stuck and told of but not lost, unless it is said that others may write to the stream too.
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
