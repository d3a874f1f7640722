import type { Predicate } from '../subscription.js';
import { describeVerdict } from './describe-verdict.js';

const region: Predicate = { path: '$.region', operator: 'equals', value: 'EU' };
const total: Predicate = { path: '$.totalCents', operator: 'greater', value: 5 };

describe('describeVerdict', () => {
  it.each([
    [{ isMatch: true } as const, 'matches'],
    [{ isMatch: false, failed: 'type' } as const, 'type not subscribed'],
    [{ isMatch: false, failed: [region] } as const, 'predicate `$.region equals "EU"` did not match'],
    [
      { isMatch: false, failed: [region, total] } as const,
      'predicates `$.region equals "EU"`, `$.totalCents greater 5` did not match',
    ],
  ])('says of %j: %s', (verdict, text) => {
    expect(describeVerdict(verdict)).toBe(text);
  });

  it('keeps it short, however much was configured', () => {
    const value = Array.from({ length: 100 }, () => 'x'.repeat(1_000));
    const failed = Array.from({ length: 40 }, (): Predicate => ({ path: '$.a', operator: 'in', value }));
    const text = describeVerdict({ isMatch: false, failed });
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain('and 35 more did not match');
  });
});
