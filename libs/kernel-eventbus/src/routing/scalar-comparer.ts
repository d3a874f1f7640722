import type { ComparisonOperator, ValueComparer } from './value-comparer.js';

/** FR-005c. Compares scalars, equality as strings (5 is "5"); where types do not fit an operator, nothing matches. */
export class ScalarComparer implements ValueComparer {
  compare(operator: ComparisonOperator, actual: unknown, expected: unknown): boolean {
    switch (operator) {
      case 'equals':
        return areScalars(actual, expected) && String(actual) === String(expected);
      case 'not-equals':
        return areScalars(actual, expected) && String(actual) !== String(expected);
      case 'in':
        return Array.isArray(expected) && expected.some((one) => this.compare('equals', actual, one));
      case 'greater':
        return typeof actual === 'number' && typeof expected === 'number' && actual > expected;
      case 'less':
        return typeof actual === 'number' && typeof expected === 'number' && actual < expected;
      case 'starts-with':
        return typeof actual === 'string' && typeof expected === 'string' && actual.startsWith(expected);
    }
  }
}

function areScalars(...values: unknown[]): boolean {
  return values.every((value) => ['string', 'number', 'boolean'].includes(typeof value));
}
