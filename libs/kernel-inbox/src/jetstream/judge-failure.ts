import { EventRefusedError, NotAnEventError } from '../inbox.errors.js';

export type Verdict = { kind: 'give-up' } | { kind: 'again'; delayMs: number };

/**
 * Gives up only what the sender has signed and nobody can take. A signature that does not fit may be a key that is not set yet, so
 * that message waits: it is stuck and told of, but not lost.
 */
export function judgeFailure(
  error: unknown,
  { deliveries, initialDelayMs, maxDelayMs }: { deliveries: number; initialDelayMs: number; maxDelayMs: number },
): Verdict {
  if (error instanceof NotAnEventError || error instanceof EventRefusedError) {
    return { kind: 'give-up' };
  }
  return { kind: 'again', delayMs: Math.min(initialDelayMs * 2 ** Math.min(deliveries - 1, 30), maxDelayMs) };
}
