import fc from 'fast-check';
import { jsonDepth } from './json-depth.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['[]', 1],
    ['{"a":[{}]}', 3],
    ['{"a":{},"b":[]}', 2],
    [String.raw`{"[{\"[[[":"]}\\"}`, 1],
    ['['.repeat(100_000) + ']'.repeat(100_000), 100_000],
  ])('counts objects and arrays, and nothing that is in a string', (json, depth) => {
    expect(jsonDepth(json)).toBe(depth);
  });

  it('agrees with the value, whatever its strings hold', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', 'a') });
    const json = fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', '{', '[', 'a') });
    fc.assert(
      fc.property(json, text, (value, key) => {
        const given = { [key]: value };
        expect(jsonDepth(JSON.stringify(given))).toBe(depthOf(given));
      }),
      { numRuns: 500 },
    );
  });
});
