import type { ComparisonOperator, ValueComparer } from './value-comparer.js';

const { isArray } = Array;

/** FR-005c. Compares scalars, equality as strings (5 equals "5"); a type unfit for the operator never matches. */
export class ScalarComparer implements ValueComparer {
  readonly #lists = new WeakMap<readonly unknown[], ValueList>();

  compare(operator: ComparisonOperator, actual: unknown, expected: unknown): boolean {
    switch (operator) {
      case 'equals':
        return isScalar(actual) && isScalar(expected) && isEqual(actual, expected);
      case 'not-equals':
        return isScalar(actual) && isScalar(expected) && !isEqual(actual, expected);
      case 'in':
        return isScalar(actual) && isArray(expected) && this.listOf(expected).has(actual);
      case 'greater':
        return typeof actual === 'number' && typeof expected === 'number' && actual > expected;
      case 'less':
        return typeof actual === 'number' && typeof expected === 'number' && actual < expected;
      case 'starts-with':
        return typeof actual === 'string' && typeof expected === 'string' && actual.startsWith(expected);
    }
  }

  private listOf(values: readonly unknown[]): ValueList {
    let list = this.#lists.get(values);
    if (!list) {
      list = new ValueList(values.filter(isScalar));
      this.#lists.set(values, list);
    }
    return list;
  }
}

/**
 * The list of an `in`. Numbers are looked up without conversion to text: a path may select as many as a payload has.
 */
class ValueList {
  readonly #texts: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<number>;

  constructor(values: readonly Scalar[]) {
    this.#texts = new Set(values.map(String));
    this.#numbers = new Set([...this.#texts].map(Number).filter((number) => this.#texts.has(`${number}`)));
  }

  has(value: Scalar): boolean {
    return typeof value === 'number' ? this.#numbers.has(value) : this.#texts.has(`${value}`);
  }
}

type Scalar = string | number | boolean;

function isEqual(actual: Scalar, expected: Scalar): boolean {
  return typeof actual === typeof expected ? actual === expected : `${actual}` === `${expected}`;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
