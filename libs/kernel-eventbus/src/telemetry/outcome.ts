import type { AttemptRecord } from '../deliveries/attempt-record.js';

export const OUTCOMES = ['delivered', 'retry', 'dead_letter', 'deferred'] as const;
export type SettledOutcome = (typeof OUTCOMES)[number];

/** Outcome of a delivery; `deferred` if an internal fault postponed it without an attempt. */
export function outcomeOf({ status, attempt }: Pick<AttemptRecord, 'status' | 'attempt'>): SettledOutcome {
  switch (status) {
    case 'DELIVERED':
      return 'delivered';
    case 'DLQ':
      return 'dead_letter';
    case 'PENDING':
    case 'FAILED':
      return attempt ? 'retry' : 'deferred';
  }
}
