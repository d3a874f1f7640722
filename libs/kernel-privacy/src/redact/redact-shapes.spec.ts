import { apply, type Told } from './fixtures/apply.js';

describe('redact', () => {
  describe('[KER-6d] a shape that a rule does not expect', () => {
    const secret = 'ada@example.org';
    const cut: Told = { action: 'truncate', length: 1 };
    const rounded: Told = { action: 'coarsen', decimals: 0 };

    it.each<[string, Record<string, Told>, unknown, string[]]>([
      ['an array for an object', { '$.a.b': 'drop' }, [{ b: secret, c: 1 }], ['$.a[*].b', '$.a[*].c']],
      ['an array for an object, masked', { '$.a.b': 'mask' }, [{ b: secret }], ['$.a[*].b']],
      ['an array for an object, hashed', { '$.a.b': 'hash' }, [{ b: secret }], ['$.a[*].b']],
      ['an array for an object, truncated', { '$.a.b': cut }, [{ b: secret }], ['$.a[*].b']],
      ['an array for an object, coarsened', { '$.a.b': rounded }, [{ b: 1.5 }], ['$.a[*].b']],
      ['an array for an object with a number for a name', { "$.a['0']": 'drop' }, [secret], ['$.a[*]']],
      ['an object for an array', { '$.a[*].b': 'drop' }, { b: secret }, ['$.a.b']],
      ['an object of objects for an array', { '$.a[*].b': 'drop' }, { x: { b: secret } }, ['$.a.x.b']],
      ['an object for the array itself', { '$.a[*]': 'mask' }, { x: secret }, ['$.a.x']],
      ['an array of arrays for an array', { '$.a[*].b': 'drop' }, [[{ b: secret }]], ['$.a[*][*].b']],
      ['an array for an array of arrays', { '$.a[*][*].b': 'drop' }, [{ b: secret }], ['$.a[*].b']],
      ['a text for an object', { '$.a.b': 'drop' }, secret, ['$.a']],
      ['a text for an array', { '$.a[*]': 'drop' }, secret, ['$.a']],
      ['a number for an object', { '$.a.b': 'mask' }, 5, ['$.a']],
      ['an array further up', { '$.a.b.c': 'drop' }, [{ b: { c: secret } }], ['$.a[*].b.c']],
      [
        'what a rule for the other shape lets out',
        { '$.a.b': 'drop', '$.a[*].c': 'keep' },
        [{ c: secret }],
        ['$.a[*].c'],
      ],
    ])('is held back whole: %s', (_, actions, value, paths) => {
      const expected = { removed: paths.map((path) => ({ path, reason: 'wrong-shape' })), changed: [] };
      expect(apply({ a: value, id: 1 }, { $: 'keep', ...actions })).toEqual({ payload: { id: 1 }, ...expected });
      expect(apply({ a: value, id: 1 }, { '$.id': 'keep', '$.a': 'keep', ...actions })).toMatchObject({
        payload: { id: 1 },
        ...expected,
      });
    });

    it.each<[string, Told]>([
      ['mask', 'mask'],
      ['hash', 'hash'],
      ['truncate', { action: 'truncate', length: 30 }],
    ])('is held back whole under %s too', (_, told) => {
      expect(apply({ a: [{ b: secret }] }, { '$.a': told, '$.a.b': 'drop' })).toMatchObject({
        payload: {},
        removed: [{ path: '$.a[*].b', reason: 'wrong-shape' }],
      });
    });

    it('is held back in the elements that have it, and not in the others', () => {
      const payload = { a: [{ b: secret, c: 1 }, [{ b: secret }], secret, null, { c: 2 }] };
      expect(apply(payload, { $: 'keep', '$.a[*].b': 'drop' }).payload).toEqual({ a: [{ c: 1 }, null, { c: 2 }] });
    });

    it('is the whole payload where a rule takes that for an array', () => {
      expect(apply({ a: secret }, { $: 'keep', '$[*].b': 'drop' })).toEqual({
        payload: {},
        removed: [{ path: '$.a', reason: 'wrong-shape' }],
        changed: [],
      });
    });

    it.each([[null], [{}], [[]]])('is kept where it holds nothing: %j', (value) => {
      const kept = { payload: { a: value }, removed: [], changed: [] };
      expect(apply({ a: value }, { $: 'keep', '$.a.b': 'drop' })).toEqual(kept);
      expect(apply({ a: value }, { $: 'keep', '$.a[*].b': 'drop' })).toEqual(kept);
    });

    it('is what it is where rules only keep', () => {
      const payload = { a: [{ b: 1 }] };
      expect(apply(payload, { '$.a': 'keep', '$.a.b': 'keep' }).payload).toEqual(payload);
      expect(apply(payload, { '$.a': 'mask', '$.a.b': 'keep' }).payload).toEqual({ a: '***' });
      expect(apply(payload, { '$.a.b': 'keep' }).removed).toEqual([{ path: '$.a[*].b', reason: 'no-rule' }]);
    });
  });
});
