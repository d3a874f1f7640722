import { markRemoved } from './mark-removed.ts';

const payload = {
  customer: { name: 'Ada', email: 'a@b.c' },
  lines: [{ sku: 'x', price: 1 }],
  'odd name': null,
  empty: {},
};
const marked = (...removed: string[]) =>
  markRemoved(payload, removed)
    .filter(({ isRemoved }) => isRemoved)
    .map(({ text }) => text.trim());

describe('markRemoved', () => {
  it('writes what JSON would', () => {
    const text = markRemoved(payload, []).map((line) => line.text);
    expect(text.join('\n')).toBe(JSON.stringify(payload, null, 2));
  });

  it.each([
    [['$.customer.email'], ['"email": "a@b.c"']],
    [['$.customer'], ['"customer": {', '"name": "Ada",', '"email": "a@b.c"', '},']],
    [['$.lines[*].price'], ['"price": 1']],
    [['$.lines[0].price'], ['"price": 1']],
    [["$['odd name']"], ['"odd name": null,']],
    [[], []],
  ])('marks %j', (removed, lines) => {
    expect(marked(...removed)).toEqual(lines);
  });
});
