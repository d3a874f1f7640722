import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { hmacSha256 } from './hmac-sha256.js';

describe('hmacSha256', () => {
  it('agrees with test case 2 of RFC 4231', () => {
    expect(hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?')).toBe(
      'hmac-sha256:5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('gives the same value another hash under another key', () => {
    expect(hmacSha256(Buffer.alloc(32, 1))('ada@example.org')).not.toBe(
      hmacSha256(Buffer.alloc(32, 2))('ada@example.org'),
    );
  });
});

it('agrees with createHmac, whatever the key and the text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 130 }), fc.string({ unit: 'grapheme' }), (bytes, text) => {
      const key = Buffer.from(bytes);
      expect(hmacSha256(key)(text)).toBe(`hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`);
    }),
  );
});
