import fc from 'fast-check';
import { writeDeepJson, writeJson } from './write-json.js';

describe('writeJson', () => {
  it('writes what JSON.stringify writes, with and without recursion', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeDeepJson(value)).toBe(JSON.stringify(value));
        expect(writeJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('writes what is too deep for JSON.stringify', () => {
    const text = '{"a":['.repeat(50_000) + '1' + ']}'.repeat(50_000);
    const deep: unknown = JSON.parse(text);
    expect(() => JSON.stringify(deep)).toThrow(RangeError);
    expect(writeJson(deep)).toBe(text);
  });

  it('has no reason to fail on what is wide', () => {
    const wide = Array.from({ length: 300_000 }, (_, index) => index);
    expect(writeDeepJson(wide)).toBe(JSON.stringify(wide));
  });

  it('leaves every other fault to be seen', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(() => writeJson(circular)).toThrow(TypeError);
  });
});
