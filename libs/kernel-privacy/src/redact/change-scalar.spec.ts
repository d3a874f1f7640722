import fc from 'fast-check';
import { coarsenNumber, truncateText } from './change-scalar.js';

describe('truncateText', () => {
  it.each([
    ['Ada Lovelace', 3, 'Ada'],
    ['Ada', 3, 'Ada'],
    ['Ada', 10, 'Ada'],
    ['', 1, ''],
    ['👩🏽 works', 2, '👩🏽'],
    ['a👩b', 2, 'a👩'],
  ])('makes of %p with %d characters %p', (text, length, expected) => {
    expect(truncateText(text, length)).toBe(expected);
  });

  it('never lets more out than asked for, nor half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, length) => {
        const cut = truncateText(text, length);
        expect(text.startsWith(cut)).toBe(true);
        expect([...cut].length).toBe(Math.min(length, [...text].length));
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('coarsenNumber', () => {
  it.each([
    [39.123456, 2, 39.12],
    [-96.98765, 1, -97],
    [-0.04, 1, 0],
    [12, 3, 12],
    [1e300, 2, 1e300],
    [5e-324, 6, 0],
  ])('makes of %d with %d decimals %d', (value, decimals, expected) => {
    expect(coarsenNumber(value, decimals)).toBe(expected);
  });

  it('moves no number by more than half a step, and has nothing left to do the second time', () => {
    const coordinate = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(coordinate, fc.integer({ min: 0, max: 6 }), (value, decimals) => {
        const coarse = coarsenNumber(value, decimals);
        expect(Math.abs(coarse - value)).toBeLessThanOrEqual(0.5 * 10 ** -decimals + 1e-9);
        expect(coarsenNumber(coarse, decimals)).toBe(coarse);
      }),
    );
  });
});
