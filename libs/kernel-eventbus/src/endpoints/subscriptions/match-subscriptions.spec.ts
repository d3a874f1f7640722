import type { Predicate, Subscription } from '../subscription.js';
import { matchSubscriptions } from './match-subscriptions.js';

/** A predicate that matches if `value` is true. */
const predicate = (path: string, value: boolean): Predicate => ({ path, operator: 'equals', value });
const [yes, no] = [predicate('$.yes', true), predicate('$.no', false)];
const entry = (match: Subscription['match'], ...predicates: Predicate[]): Subscription => ({
  type: 't',
  match,
  predicates,
});
const match = (...entries: Subscription[]) => {
  const steps = matchSubscriptions(entries, ({ value }) => value === true);
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      return value;
    }
  }
};

describe('matchSubscriptions', () => {
  it.each<[string, Subscription[]]>([
    ['no entry', []],
    ['an entry without predicates', [entry(undefined)]],
    ['any of no predicates', [entry('any')]],
    ['all of them', [entry('all', yes, yes)]],
    ['any one of them', [entry('any', no, yes)]],
    ['any entry', [entry('all', no), entry('all', yes)]],
    ['an entry without predicates beside one that fails', [entry('all', no), entry(undefined)]],
  ])('[FR-005] matches: %s', (_, entries) => {
    expect(match(...entries)).toEqual({ isMatch: true });
  });

  it('[FR-005] all needs every one, and tells the first that failed', () => {
    const other = predicate('$.other', false);
    expect(match(entry('all', yes, no, other))).toEqual({ isMatch: false, failed: [no] });
  });

  it('[FR-005] any needs one, and tells them all', () => {
    const other = predicate('$.other', false);
    expect(match(entry('any', no, other))).toEqual({ isMatch: false, failed: [no, other] });
  });

  it('[FR-005] of several entries tells what failed in each', () => {
    const other = predicate('$.other', false);
    expect(match(entry('all', no), entry('any', other))).toEqual({ isMatch: false, failed: [no, other] });
  });
});
