import fc from 'fast-check';
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
    ['5', 'in', [5]],
    [1e21, 'in', ['1e+21']],
    [-0, 'in', ['0']],
    [-0, 'equals', 0],
    [true, 'in', ['true']],
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
    [5, 'in', ['5.0', '05', ' 5', '5e0']],
    [0, 'in', ['', '-0', false]],
    [1, 'in', [true]],
    [1, 'equals', true],
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

  it('[FR-005c] finds in a list what is equal to one of its values as text', () => {
    const scalar = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.string());
    const written = fc.oneof(scalar, scalar.map(String));
    fc.assert(
      fc.property(written, fc.array(written), fc.boolean(), (actual, others, isThere) => {
        const list = isThere ? [...others, `${actual}`] : others;
        const isEqual = (expected: unknown) => comparer.compare('equals', actual, expected);
        expect(comparer.compare('in', actual, list)).toBe(list.map(String).includes(`${actual}`));
        expect(list.some(isEqual)).toBe(list.map(String).includes(`${actual}`));
      }),
    );
  });
});
