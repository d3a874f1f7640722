import { createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { InvalidSecretError } from './secrets.errors.js';
import { generateSigningKeyPair, parseSigningKeyPair, privateKeyOf, publicKeyTextOf } from './signing-key-pair.js';

/** RFC 8032, 7.1, test 1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');

const textOf = (...bytes: Buffer[]) => `whsk_${Buffer.concat(bytes).toString('base64')}`;

describe('signing key pair', () => {
  it.each([
    ['the seed', textOf(SEED)],
    ['the seed and its public key', textOf(SEED, PUBLIC)],
  ])('is read from %s and has the public key that RFC 8032 gives it', (_, text) => {
    const pair = parseSigningKeyPair(text);
    expect(pair.reveal()).toBe(text);
    expect(publicKeyTextOf(pair)).toBe(`whpk_${PUBLIC.toString('base64')}`);
  });

  it('is made anew each time, and what it signs verifies with its public key', () => {
    const pair = generateSigningKeyPair();
    expect(pair.reveal()).toMatch(/^whsk_[A-Za-z0-9+/]{43}=$/);
    expect(generateSigningKeyPair().reveal()).not.toBe(pair.reveal());
    const x = Buffer.from(publicKeyTextOf(pair).slice('whpk_'.length), 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const message = Buffer.from('m');
    expect(verify(null, message, publicKey, sign(null, message, privateKeyOf(pair)))).toBe(true);
  });

  it.each([
    ['too few bytes', textOf(SEED.subarray(1)), 'has 31'],
    ['a number of bytes in between', textOf(SEED, PUBLIC.subarray(1)), 'has 63'],
    ['the public key of another', textOf(SEED, randomBytes(32)), 'a public key that is not its own'],
    ['no padding', textOf(SEED).replace('=', ''), 'not padded standard base64'],
    ['another prefix', `whsec_${SEED.toString('base64')}`, 'not padded standard base64 after "whsk_"'],
  ])('is refused with %s, and not shown', (_, text, problem) => {
    const parse = () => parseSigningKeyPair(text);
    expect(parse).toThrow(InvalidSecretError);
    expect(parse).toThrow(problem);
    expect(parse).not.toThrow(text.slice(8, 20));
  });
});
