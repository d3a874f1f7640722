import type { Predicate } from '../envelope/subscription.js';
import type { FieldSelector } from './field-selector.js';
import type { ValueComparer } from './value-comparer.js';

export interface PredicateRules {
  fieldSelector: FieldSelector;
  valueComparer: ValueComparer;
}

/** A path may name several values, and one that matches is enough. A missing field matches nothing but `exists: false`. */
export function evaluatePredicate(
  { path, operator, value }: Predicate,
  payload: unknown,
  { fieldSelector, valueComparer }: PredicateRules,
): boolean {
  const found = fieldSelector.select(payload, path);
  if (operator === 'exists') {
    return found.length > 0 === value;
  }
  return found.some((actual) => valueComparer.compare(operator, actual, value));
}
