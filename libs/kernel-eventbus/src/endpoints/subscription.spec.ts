import { PREDICATE_OPERATORS, Subscription } from './subscription.js';

const withPredicate = (predicate: unknown) => ({ type: 't.v1', match: 'all', predicates: [predicate] });
const issuesOf = (value: unknown) => {
  const { error } = Subscription.safeParse(value);
  return error?.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
};

describe('Subscription', () => {
  it.each([
    { path: '$.a', operator: 'equals', value: 'EU' },
    { path: '$.a', operator: 'equals', value: 5 },
    { path: '$.a', operator: 'not-equals', value: false },
    { path: '$.a', operator: 'in', value: ['EU', 5, true] },
    { path: '$.a', operator: 'greater', value: -1.5 },
    { path: '$.a', operator: 'less', value: 0 },
    { path: '$.a', operator: 'exists', value: false },
    { path: '$.a', operator: 'starts-with', value: 'x' },
  ])('[FR-005] takes %j', (predicate) => {
    expect(Subscription.parse(withPredicate(predicate)).predicates).toEqual([predicate]);
  });

  it('[FR-005] exists without a value means true', () => {
    const { predicates } = Subscription.parse(withPredicate({ path: '$.a', operator: 'exists' }));
    expect(predicates).toEqual([{ path: '$.a', operator: 'exists', value: true }]);
  });

  it.each([
    [{ path: '$.a', operator: 'equals' }, 'value', /a string .*a number, true or false/],
    [{ path: '$.a', operator: 'equals', value: null }, 'value', /a string .*a number, true or false/],
    [{ path: '$.a', operator: 'not-equals', value: { a: 1 } }, 'value', /a string/],
    [{ path: '$.a', operator: 'equals', value: 'a\0' }, 'value', /NUL/],
    [{ path: '$.a', operator: 'in', value: 'EU' }, 'value', /in takes a list/],
    [{ path: '$.a', operator: 'in', value: [] }, 'value', /a list of 1 to 100/],
    [{ path: '$.a', operator: 'in', value: [null] }, 'value.0', /a string/],
    [{ path: '$.a', operator: 'in', value: Array(101).fill(1) }, 'value', /has 101 values; at most 100 are allowed/],
    [{ path: '$.a', operator: 'greater', value: '5' }, 'value', /greater and less take a number/],
    [{ path: '$.a', operator: 'less' }, 'value', /greater and less take a number/],
    [{ path: '$.a', operator: 'exists', value: 'no' }, 'value', /true or false/],
    [{ path: '$.a', operator: 'starts-with', value: 5 }, 'value', /a string of 1 to 1000/],
    [{ path: '$.a', operator: 'starts-with', value: '' }, 'value', /a string of 1 to 1000/],
    [{ path: '', operator: 'exists' }, 'path', />=1/],
    [{ path: '$.a', operator: 'exists', colour: 'red' }, '', /colour/],
  ])('[FR-005] refuses %j, naming %s', (predicate, path, message) => {
    const at = ['predicates.0', path].filter(Boolean).join('.');
    expect(issuesOf(withPredicate(predicate))).toEqual([{ path: at, message: expect.stringMatching(message) }]);
  });

  it.each([['between'], ['EQUALS'], [undefined], [null], [5]])(
    '[FR-005] refuses the operator %p and lists those there are',
    (operator) => {
      expect(issuesOf(withPredicate({ path: '$.a', operator, value: 1 }))).toEqual([
        { path: 'predicates.0.operator', message: expect.stringContaining(PREDICATE_OPERATORS.join(', ')) },
      ]);
    },
  );

  it('[FR-005a] [FR-014] predicates need a match', () => {
    const predicates = [{ path: '$.a', operator: 'exists' }];
    expect(issuesOf({ type: 't.v1', predicates })).toEqual([
      { path: 'match', message: expect.stringContaining("say 'all'") },
    ]);
    expect(issuesOf({ type: 't.v1', predicates, match: 'some' })).toMatchObject([{ path: 'match' }]);
  });

  it('[FR-005a] without predicates a match may be left out', () => {
    expect(Subscription.parse({ type: 't.v1' })).toEqual({ type: 't.v1', predicates: [] });
    expect(Subscription.parse({ type: 't.v1', predicates: [] })).toEqual({ type: 't.v1', predicates: [] });
  });
});
