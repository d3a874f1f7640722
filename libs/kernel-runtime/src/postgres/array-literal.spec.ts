import fc from 'fast-check';
import { columnsOf, plainArray, textArray } from './array-literal.js';

describe('array literals', () => {
  it.each([
    ['ids and numbers as they are', plainArray(['a-1', 2, true]), '{a-1,2,true}'],
    ['text in quotes', textArray(['a b', 'c,d', '{}']), '{"a b","c,d","{}"}'],
    ['quotes and backslashes escaped', textArray(['say "x"', 'c:\\d']), '{"say \\"x\\"","c:\\\\d"}'],
    ['the word null as text', textArray(['null', 'NULL', '']), '{"null","NULL",""}'],
    ['nothing as NULL', textArray(['a', null, undefined]), '{"a",NULL,NULL}'],
    ['an empty array for a column of nothing', plainArray([null, undefined]), '{}'],
  ])('writes %s', (_what, written, expected) => {
    expect(written).toBe(expected);
  });

  it('escapes quotes and backslashes, and nothing else, in whatever text', () => {
    const unit = fc.oneof(fc.constantFrom('"', '\\', '\n', '\u0001', '\u2028', '\ud800', '😀', 'ü', 'a'), fc.string());
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(textArray([text])).toBe(`{"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes columns out of rows', () => {
    const { plain, text } = columnsOf([
      { id: 1, name: 'a"b', note: null },
      { id: 2, name: 'c', note: null },
    ]);
    expect([plain('id'), text('name'), text('note')]).toEqual(['{1,2}', '{"a\\"b","c"}', '{}']);
  });
});
