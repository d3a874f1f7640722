import { formatMs, formatPlural, formatRate, formatShare } from './format-number.ts';

it.each([
  [1, '100 %'],
  [0.99999, '99.99 %'],
  [0, '0.00 %'],
])('a share of %d is %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});

it.each([
  [12.4, '12 ms'],
  [1_234, '1.23 s'],
  [61_000, '61.0 s'],
])('%d ms are %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});

it('says rates and counts', () => {
  expect([formatRate(0), formatRate(0.25), formatRate(140.6)]).toEqual(['0', '0.3', '141']);
  expect([formatPlural(1, 'lane'), formatPlural(2, 'lane'), formatPlural(0, 'entry', 'entries')]).toEqual([
    '1 lane',
    '2 lanes',
    '0 entries',
  ]);
});
