import type { Settlement } from '../delivery/settlement.js';

export const OUTCOMES = ['delivered', 'retry', 'dead_letter', 'deferred'] as const;
export type SettledOutcome = (typeof OUTCOMES)[number];

/** What became of a delivery; `deferred` where a fault of our own put it off without an attempt. */
export function outcomeOf({ status, attempt }: Pick<Settlement, 'status' | 'attempt'>): SettledOutcome {
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
