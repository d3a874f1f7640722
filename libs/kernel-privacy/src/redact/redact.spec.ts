import { PayloadNotObjectError } from '../privacy.errors.js';
import type { PolicyAction, PolicyRule } from '../policy/policy-rule.js';
import { redact } from './redact.js';

type Told = PolicyAction | Omit<PolicyRule, 'path'>;

/** `{ '$.email': 'keep' }` reads better than a list of rules. */
function apply(payload: unknown, actions: Record<string, Told>) {
  const rules: PolicyRule[] = Object.entries(actions).map(([path, told]) =>
    typeof told === 'string' ? { path, action: told } : { path, ...told },
  );
  return redact(payload as Record<string, unknown>, rules, (text) => `hash(${text})`);
}

const invoice = {
  invoiceId: 'inv-1',
  customer: { name: 'Ada', email: 'ada@example.org' },
  lines: [
    { sku: 'a', amountCents: 1 },
    { sku: 'b', amountCents: 2 },
  ],
};

describe('redact', () => {
  it.each([[['text', []]], [[[], 'text']]])(
    'names the reason of the element that holds something in %j',
    (elements) => {
      const { removed } = apply({ list: elements }, { '$.list[*].a': 'drop' });
      expect(removed).toEqual([{ path: '$.list[*]', reason: 'wrong-shape' }]);
    },
  );

  it('[KER-6d] leaves nothing when there are no rules, and lists every path once', () => {
    expect(apply(invoice, {})).toEqual({
      payload: {},
      removed: ['$.invoiceId', '$.customer.name', '$.customer.email', '$.lines[*].sku', '$.lines[*].amountCents'].map(
        (path) => ({ path, reason: 'no-rule' }),
      ),
      changed: [],
    });
  });

  it('[KER-6d] lets out what is kept and nothing else', () => {
    const { payload } = apply(invoice, { '$.invoiceId': 'keep', '$.customer.name': 'keep', '$.lines[*].sku': 'keep' });
    expect(payload).toEqual({ invoiceId: 'inv-1', customer: { name: 'Ada' }, lines: [{ sku: 'a' }, { sku: 'b' }] });
  });

  it('keeps everything under $', () => {
    expect(apply(invoice, { $: 'keep' })).toEqual({ payload: invoice, removed: [], changed: [] });
  });

  it('lets the most specific rule win, in whatever order the rules stand', () => {
    const expected = {
      payload: { customer: { name: 'Ada' } },
      removed: [
        { path: '$.invoiceId', reason: 'drop' },
        { path: '$.customer.email', reason: 'drop' },
        { path: '$.lines[*].sku', reason: 'drop' },
        { path: '$.lines[*].amountCents', reason: 'drop' },
      ],
      changed: [],
    };
    expect(apply(invoice, { $: 'drop', '$.customer': 'keep', '$.customer.email': 'drop' })).toEqual(expected);
    expect(apply(invoice, { '$.customer.email': 'drop', '$.customer': 'keep', $: 'drop' })).toEqual(expected);
  });

  it('tells a rule that drops from a rule that is missing', () => {
    expect(apply({ a: 1, b: 2 }, { '$.a': 'drop' }).removed).toEqual([
      { path: '$.a', reason: 'drop' },
      { path: '$.b', reason: 'no-rule' },
    ]);
  });

  it('lists names that need quotes the way a rule spells them', () => {
    expect(apply({ "it's": { 'a b': 1 } }, {}).removed).toEqual([{ path: "$['it\\'s']['a b']", reason: 'no-rule' }]);
  });

  describe('empty parents', () => {
    it('vanish when everything below them was removed', () => {
      const payload = { a: { b: { c: 1 } }, list: [{ d: 1 }], kept: 1 };
      expect(apply(payload, { $: 'keep', '$.a.b.c': 'drop', '$.list[*].d': 'drop' }).payload).toEqual({ kept: 1 });
    });

    it('stay when they were empty before and are kept', () => {
      const payload = { object: {}, list: [], nested: { list: [[]] } };
      expect(apply(payload, { $: 'keep', '$.object.x': 'drop', '$.list[*].x': 'drop' }).payload).toEqual(payload);
    });

    it('are removed when they were empty before and no rule keeps them', () => {
      expect(apply({ object: {}, list: [] }, { '$.object.x': 'keep', '$.list[*]': 'keep' })).toMatchObject({
        payload: {},
        removed: [{ path: '$.object' }, { path: '$.list' }],
      });
    });
  });

  describe('arrays', () => {
    it('lose the elements that are removed, and keep the order of the others', () => {
      const payload = { list: [{ a: 1, b: 1 }, 'scalar', { b: 2 }, { a: 3 }] };
      expect(apply(payload, { '$.list[*].a': 'keep' }).payload).toEqual({ list: [{ a: 1 }, { a: 3 }] });
    });

    it('are matched by [*] alone, and objects by names alone', () => {
      expect(apply({ list: [1], object: { 0: 1 } }, { "$.list['0']": 'keep', '$.object[*]': 'keep' }).payload).toEqual(
        {},
      );
    });

    it('can be nested', () => {
      const payload = { grid: [[{ x: 1, y: 1 }], [{ y: 2 }]] };
      expect(apply(payload, { '$.grid[*][*].x': 'keep' }).payload).toEqual({ grid: [[{ x: 1 }]] });
    });
  });

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

  describe('mask', () => {
    it('puts *** in place of any value', () => {
      const payload = { text: 'x', number: 1, nothing: null, object: { a: 1 }, list: [1, 2] };
      const masked = apply(payload, {
        '$.text': 'mask',
        '$.number': 'mask',
        '$.nothing': 'mask',
        '$.object': 'mask',
        '$.list[*]': 'mask',
      });
      expect(masked.payload).toEqual({
        text: '***',
        number: '***',
        nothing: '***',
        object: '***',
        list: ['***', '***'],
      });
      expect(masked.changed).toContainEqual({ path: '$.list[*]', action: 'mask' });
      expect(masked.removed).toEqual([]);
    });

    it('covers the rest one by one where a more specific rule leads further down', () => {
      const payload = { customer: { name: 'Ada', city: 'London', contact: { email: 'x' } } };
      expect(apply(payload, { '$.customer': 'mask', '$.customer.city': 'keep' }).payload).toEqual({
        customer: { name: '***', city: 'London', contact: '***' },
      });
    });
  });

  describe('hash', () => {
    it('hashes a string as it is and anything else as its JSON text', () => {
      const payload = { text: 'x', number: 1.5, truth: true, object: { a: [1] }, list: ['a', 'b'] };
      const every = Object.fromEntries(Object.keys(payload).map((name) => [`$.${name}`, 'hash' as const]));
      expect(apply(payload, every).payload).toEqual({
        text: 'hash(x)',
        number: 'hash(1.5)',
        truth: 'hash(true)',
        object: 'hash({"a":[1]})',
        list: 'hash(["a","b"])',
      });
    });

    it('leaves null as null', () => {
      expect(apply({ email: null }, { '$.email': 'hash' })).toEqual({
        payload: { email: null },
        removed: [],
        changed: [],
      });
    });

    it('is listed once for all elements', () => {
      expect(apply({ list: ['a', 'b'] }, { '$.list[*]': 'hash' }).changed).toEqual([
        { path: '$.list[*]', action: 'hash' },
      ]);
    });
  });

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

  it('drops what an action it does not know covers', () => {
    expect(apply({ a: 1 }, { '$.a': 'shred' as PolicyAction })).toMatchObject({
      payload: {},
      removed: [{ reason: 'drop' }],
    });
  });

  it('shares nothing with the payload it was given', () => {
    const given = { kept: { list: [{ a: 1 }] } };
    const { payload } = apply(given, { $: 'keep' });
    (payload as typeof given).kept.list[0]!.a = 2;
    expect(given).toEqual({ kept: { list: [{ a: 1 }] } });
  });

  it.each([[null], ['text'], [[1]], [undefined]])('refuses %p, which is no object', (payload) => {
    expect(() => apply(payload, { $: 'keep' })).toThrow(PayloadNotObjectError);
  });

  it('refuses rules that were never validated', () => {
    expect(() => apply({ a: 1 }, { '$..a': 'keep' })).toThrow(/Validate rules with PolicyRules/);
  });
});
