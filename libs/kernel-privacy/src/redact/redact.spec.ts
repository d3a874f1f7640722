import { PayloadNotObjectError } from '../privacy.errors.js';
import type { PolicyAction } from '../policy/policy-rule.js';
import { apply } from './fixtures/apply.js';

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
