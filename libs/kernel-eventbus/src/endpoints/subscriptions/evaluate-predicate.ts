import type { Predicate } from '../subscription.js';
import type { ValueComparer } from './value-comparer.js';

/**
 * True if a predicate holds for the values at its path. Of several values, one match is enough. A missing field matches
 * only `exists: false`.
 */
export function evaluatePredicate(
  { operator, value }: Predicate,
  found: readonly unknown[],
  comparer: ValueComparer,
): boolean {
  if (operator === 'exists') {
    return found.length > 0 === value;
  }
  return found.some((actual) => comparer.compare(operator, actual, value));
}
