import { isUrlSetByOperator } from './url-set-by-operator.js';

const [A, B] = ['https://a.test', 'https://b.test'];
const operator = {};
const admin = { tenantId: '11111111-1111-1111-1111-111111111111' };

describe('isUrlSetByOperator', () => {
  it('is so when an operator creates, and not when a tenant admin does', () => {
    expect(isUrlSetByOperator(operator, { url: A })).toBe(true);
    expect(isUrlSetByOperator(admin, { url: A })).toBe(false);
  });

  it.each([
    ['an operator', operator, { url: B }, true, true],
    ['an operator', operator, { url: A }, true, true],
    ['a tenant admin', admin, { url: B }, false, false],
    ['a tenant admin', admin, { url: A }, true, false],
    ['a tenant admin', admin, {}, true, false],
    ['an operator', operator, {}, true, false],
  ])('after a change by %s: %s %j', (_who, caller, changes, ifBefore, ifNotBefore) => {
    expect(isUrlSetByOperator(caller, changes, { url: A, urlSetByOperator: true })).toBe(ifBefore);
    expect(isUrlSetByOperator(caller, changes, { url: A, urlSetByOperator: false })).toBe(ifNotBefore);
  });
});
