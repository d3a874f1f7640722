import type { PredicateOperator } from '../envelope/subscription.js';

/** Whether a field exists is seen by the selector; every other operator compares. */
export type ComparisonOperator = Exclude<PredicateOperator, 'exists'>;

/** Compares one value of the payload with the value of the predicate. The host may bring one with other rules. */
export interface ValueComparer {
  compare(operator: ComparisonOperator, actual: unknown, expected: unknown): boolean;
}
