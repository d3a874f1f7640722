import type { PredicateOperator } from '../subscription.js';

/** Operators that compare; `exists` depends only on the selector. */
export type ComparisonOperator = Exclude<PredicateOperator, 'exists'>;

/** Compares a value of the payload with the predicate's value. The host may supply one with other rules. */
export interface ValueComparer {
  compare(operator: ComparisonOperator, actual: unknown, expected: unknown): boolean;
}
