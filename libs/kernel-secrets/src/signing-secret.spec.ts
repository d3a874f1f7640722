import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { InvalidSecretError } from './secrets.errors.js';
import { generateSigningSecret, hmacKeyOf, parseSigningSecret } from './signing-secret.js';

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'k').toString('base64')}`;

describe('signing secret', () => {
  it('is made from 32 random bytes in the form that the public library takes', () => {
    const secret = generateSigningSecret();
    expect(secret.reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(hmacKeyOf(secret).symmetricKeySize).toBe(32);
    expect(() => new Webhook(secret.reveal())).not.toThrow();
    expect(generateSigningSecret().reveal()).not.toBe(secret.reveal());
  });

  it.each([24, 32, 64])('is taken from outside with %i bytes', (bytes) => {
    expect(parseSigningSecret(secretOf(bytes)).reveal()).toBe(secretOf(bytes));
  });

  it.each([
    ['too few bytes', secretOf(23), 'has 23'],
    ['too many bytes', secretOf(65), 'has 65'],
    ['no bytes', 'whsec_', 'has 0'],
    ['another prefix', `sk_${randomBytes(32).toString('base64')}`, 'does not start with "whsec_"'],
    ['no padding', secretOf(32).replace('=', ''), 'not padded standard base64'],
    ['base64url', `whsec_${Buffer.alloc(33, 0xff).toString('base64url')}`, 'not padded standard base64'],
    ['a line break', `${secretOf(24)}\n`, 'not padded standard base64'],
  ])('is refused with %s, and not shown', (_, text, problem) => {
    const parse = () => parseSigningSecret(text);
    expect(parse).toThrow(InvalidSecretError);
    expect(parse).toThrow(problem);
    expect(parse).toThrow('24 to 64 bytes');
    expect(parse).not.toThrow(text.slice(8, 20) || 'never');
  });
});
