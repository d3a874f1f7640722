import type { PolicyAction } from '../policy/policy-rule.js';
import { apply, type Told } from './fixtures/apply.js';

describe('redact', () => {
  describe('hostile payloads', () => {
    const hostile = () =>
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":2}}');

    it.each([
      [{ $: 'keep' }],
      [{ '$.__proto__.polluted': 'keep', '$.constructor.prototype': 'keep', '$.a.__proto__': 'keep' }],
    ])('keep __proto__ and constructor as data', (actions) => {
      const { payload } = apply(hostile(), actions as Record<string, PolicyAction>);
      expect(JSON.stringify(payload)).toBe(JSON.stringify(hostile()));
      expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });

    it('find no rule in what objects inherit', () => {
      expect(apply({ toString: 'x', constructor: 'y' }, { '$.a': 'keep' }).payload).toEqual({});
    });

    it.each(['keep', 'drop', 'mask'] as const)('may be 5,000 levels deep under %s', (action) => {
      const deep = JSON.parse('{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000));
      expect(() => apply(deep, { '$.a': action })).not.toThrow();
      expect(() => apply(deep, {})).not.toThrow();
    });

    it.each<[string, Told, unknown]>([
      ['hash', 'hash', `hash(${'{"a":'.repeat(49_999)}1${'}'.repeat(49_999)})`],
      ['mask', 'mask', '***'],
      ['truncate', { action: 'truncate', length: 1 }, undefined],
    ])('may be 50,000 levels deep under %s', (_, told, expected) => {
      const deep = JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000));
      expect(apply(deep, { '$.a': told }).payload.a).toBe(expected);
    });

    it('may be wide', () => {
      const wide = { list: Array.from({ length: 200_000 }, (_, index) => index) };
      const coarse = apply(wide, { '$.list': { action: 'coarsen', decimals: 0 } }).payload;
      expect(JSON.stringify(coarse)).toBe(JSON.stringify(wide));
      expect(apply(wide, { '$.list[*]': 'drop' }).removed).toEqual([{ path: '$.list[*]', reason: 'drop' }]);
    });

    it('are listed down to a bounded length', () => {
      const deep = JSON.parse('{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000));
      expect(apply(deep, {}).removed).toEqual([{ path: `$${'.a'.repeat(500)}`, reason: 'no-rule' }]);
    });
  });
});
