import { ScalarComparer } from './scalar-comparer.js';
import type { ComparisonOperator } from './value-comparer.js';

describe('ScalarComparer', () => {
  const comparer = new ScalarComparer();

  it.each<[unknown, ComparisonOperator, unknown]>([
    ['EU', 'equals', 'EU'],
    [5, 'equals', '5'],
    ['5', 'equals', 5],
    [true, 'equals', 'true'],
    [0, 'equals', 0],
    ['', 'equals', ''],
    ['US', 'not-equals', 'EU'],
    [5, 'not-equals', 6],
    ['EU', 'in', ['US', 'EU']],
    [5, 'in', ['5']],
    [6, 'greater', 5],
    [-1, 'less', 0],
    ['invoice:1', 'starts-with', 'invoice:'],
  ])('[FR-005c] %j %s %j', (actual, operator, expected) => {
    expect(comparer.compare(operator, actual, expected)).toBe(true);
  });

  it.each<[unknown, ComparisonOperator, unknown]>([
    ['eu', 'equals', 'EU'],
    [' EU', 'equals', 'EU'],
    ['5.0', 'equals', 5],
    [null, 'equals', 'null'],
    [undefined, 'equals', 'undefined'],
    [{}, 'equals', '[object Object]'],
    [['EU'], 'equals', 'EU'],
    ['EU', 'not-equals', 'EU'],
    [5, 'not-equals', '5'],
    [null, 'not-equals', 'EU'],
    [{}, 'not-equals', 'EU'],
    [[], 'not-equals', 'EU'],
    ['EU', 'in', ['US']],
    ['EU', 'in', 'EU'],
    [null, 'in', ['null']],
    [['EU'], 'in', ['EU']],
    [5, 'greater', 5],
    ['6', 'greater', 5],
    [6, 'greater', '5'],
    [null, 'less', 5],
    [5, 'less', 5],
    [true, 'less', 5],
    ['Invoice', 'starts-with', 'invoice'],
    [12, 'starts-with', '1'],
    [['a'], 'starts-with', 'a'],
  ])('[FR-005c] not: %j %s %j', (actual, operator, expected) => {
    expect(comparer.compare(operator, actual, expected)).toBe(false);
  });
});
