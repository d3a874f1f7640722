import fc from 'fast-check';
import { hostileValue, nested } from '../../../../../test/support/hostile-json.js';
import { jsonBytes } from './json-bytes.js';

describe('jsonBytes', () => {
  it('[KER-6] counts what JSON.stringify would write', () => {
    fc.assert(
      fc.property(hostileValue, (value) => {
        expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
      }),
    );
    expect(jsonBytes(undefined)).toBe(0);
  });

  it('[KER-6] counts also what is nested deeper than the stack is', () => {
    expect(jsonBytes(nested(200_000))).toBe(200_000 * '{"a":}'.length + 1);
    expect(jsonBytes(nested(200_000, 'array'))).toBe(200_000 * 2 + 1);
  });
});
