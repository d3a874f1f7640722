import type { Predicate } from '../subscription.js';
import { evaluatePredicate } from './evaluate-predicate.js';
import { JsonPathSelector } from './json-path-selector.js';
import { ScalarComparer } from './scalar-comparer.js';

const payload = { region: 'EU', note: null, tags: [], lines: [{ sku: 'a', cents: 5 }, { sku: 'b', cents: 50 }, {}] };
const selector = new JsonPathSelector();
const evaluate = (predicate: Predicate) =>
  evaluatePredicate(predicate, selector.select(payload, predicate.path), new ScalarComparer());

describe('evaluatePredicate', () => {
  it.each<[Predicate, boolean]>([
    [{ path: '$.region', operator: 'equals', value: 'EU' }, true],
    [{ path: '$.region', operator: 'equals', value: 'US' }, false],
    [{ path: '$.lines[*].sku', operator: 'equals', value: 'b' }, true],
    [{ path: '$.lines[*].cents', operator: 'greater', value: 49 }, true],
    [{ path: '$.lines[*].cents', operator: 'greater', value: 50 }, false],
    [{ path: '$.lines[*].sku', operator: 'not-equals', value: 'a' }, true],
  ])('[FR-005] one of the values at the path is enough: %j is %p', (predicate, expected) => {
    expect(evaluate(predicate)).toBe(expected);
  });

  it.each<Predicate>([
    { path: '$.missing', operator: 'equals', value: 'x' },
    { path: '$.missing', operator: 'not-equals', value: 'x' },
    { path: '$.missing', operator: 'in', value: ['x'] },
    { path: '$.missing', operator: 'greater', value: -1 },
    { path: '$.missing', operator: 'less', value: 1 },
    { path: '$.missing', operator: 'starts-with', value: 'x' },
    { path: '$.missing', operator: 'exists', value: true },
    { path: '$.tags[*]', operator: 'not-equals', value: 'x' },
  ])('[FR-005] a missing field never matches: %j', (predicate) => {
    expect(evaluate(predicate)).toBe(false);
  });

  it.each<[string, boolean]>([
    ['$.region', true],
    ['$.note', true],
    ['$.tags', true],
    ['$.lines[*].sku', true],
    ['$.missing', false],
    ['$.tags[*]', false],
  ])('[FR-005] %s exists: %p', (path, exists) => {
    expect(evaluate({ path, operator: 'exists', value: true })).toBe(exists);
    expect(evaluate({ path, operator: 'exists', value: false })).toBe(!exists);
  });

  it('[FR-005b] asks the comparer that it is given', () => {
    const asked: unknown[] = [];
    const compare = (...args: unknown[]) => {
      asked.push(args);
      return true;
    };
    expect(evaluatePredicate({ path: 'region', operator: 'equals', value: 'eu' }, ['EU', 'US'], { compare })).toBe(
      true,
    );
    expect(asked).toEqual([['equals', 'EU', 'eu']]);
  });
});
