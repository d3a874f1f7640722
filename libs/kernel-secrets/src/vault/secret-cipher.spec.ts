import { randomBytes } from 'node:crypto';
import { generateSigningSecret } from '../signing-secret.js';
import { SecretsUnavailableError, SecretUndecryptableError } from '../secrets.errors.js';
import { MasterKey } from './master-key.js';
import { decryptSecret, encryptSecret } from './secret-cipher.js';

describe('secret cipher', () => {
  it('gives back what was encrypted, and encrypts the same text differently each time', () => {
    const { masterKey, place, secret, packed } = setup();
    expect(decryptSecret([masterKey], place, packed).reveal()).toBe(secret.reveal());
    expect(encryptSecret(masterKey, place, secret).equals(packed)).toBe(false);
    expect(packed.includes(secret.reveal().slice(6))).toBe(false);
  });

  it.each([
    ['tenant', { tenantId: '0b6f1f1e-6a52-4a3c-9d59-6d3f0a1c7b12' }],
    ['alias', { alias: 'other' }],
    ['version', { version: 2 }],
  ])('does not decrypt in the place of another %s', (_, change) => {
    const { masterKey, place, packed } = setup();
    expect(() => decryptSecret([masterKey], { ...place, ...change }, packed)).toThrow(SecretUndecryptableError);
  });

  it('does not decrypt under another master key', () => {
    const { place, packed } = setup();
    expect(() => decryptSecret([newMasterKey()], place, packed)).toThrow(SecretUndecryptableError);
  });

  it('does not decrypt when any byte was flipped', () => {
    const { masterKey, place, packed } = setup();
    for (let index = 0; index < packed.length; index += 1) {
      const tampered = Buffer.from(packed);
      tampered[index]! ^= 1;
      expect(() => decryptSecret([masterKey], place, tampered)).toThrow(SecretUndecryptableError);
    }
  });

  it('does not decrypt what was cut short', () => {
    const { masterKey, place, packed } = setup();
    for (const length of [0, 1, 13, 29, packed.length - 1]) {
      expect(() => decryptSecret([masterKey], place, packed.subarray(0, length))).toThrow(SecretUndecryptableError);
    }
  });

  it('fails as an unavailable store does, names the version and keeps the cause', () => {
    const { masterKey, place, packed } = setup();
    const open = () => decryptSecret([masterKey], { ...place, version: 2 }, packed);
    expect(open).toThrow(SecretsUnavailableError);
    expect(open).toThrow(/version 2 of the secret "billing" .* Revoke this version/);
    expect(open).toThrow(expect.objectContaining({ code: 'SECRET_UNDECRYPTABLE', cause: expect.anything() }));
  });
});

function setup() {
  const masterKey = newMasterKey();
  const place = { tenantId: '0b6f1f1e-6a52-4a3c-9d59-6d3f0a1c7b11', alias: 'billing', version: 1 };
  const secret = generateSigningSecret();
  return { masterKey, place, secret, packed: encryptSecret(masterKey, place, secret) };
}

function newMasterKey(): MasterKey {
  return MasterKey.fromBase64(randomBytes(32).toString('base64'));
}
