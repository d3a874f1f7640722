import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { InvalidMasterKeyError } from '../secrets.errors.js';
import { MasterKey } from './master-key.js';

const BASE64 = Buffer.alloc(32, 'k').toString('base64');

describe('MasterKey', () => {
  it('takes 32 bytes of base64, with the line break of a file', () => {
    expect(MasterKey.fromBase64(`${BASE64}\n`).fingerprint).toBe(MasterKey.fromBase64(BASE64).fingerprint);
  });

  it.each([
    ['nothing', ' \n', 'is empty'],
    ['16 bytes', randomBytes(16).toString('base64'), 'decodes to 16'],
    ['33 bytes', randomBytes(33).toString('base64'), 'decodes to 33'],
    ['hexadecimal', randomBytes(32).toString('hex'), 'decodes to 48'],
    ['no base64', 'correct horse battery staple', 'is not padded standard base64'],
  ])('refuses %s, says what is allowed and does not show it', (_, text, problem) => {
    const read = () => MasterKey.fromBase64(text);
    expect(read).toThrow(InvalidMasterKeyError);
    expect(read).toThrow(problem);
    expect(read).toThrow('base64 of exactly 32 bytes');
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringContaining(text.trim() || 'never') }));
  });

  it('has a fingerprint that differs per key and does not hold it', () => {
    const { fingerprint } = MasterKey.fromBase64(BASE64);
    expect(fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(fingerprint).not.toBe(MasterKey.fromBase64(randomBytes(32).toString('base64')).fingerprint);
    expect(Buffer.alloc(32, 'k').toString('hex')).not.toContain(fingerprint);
  });

  it('derives the same 32 bytes for the same purpose and context, and others for others', () => {
    const key = MasterKey.fromBase64(BASE64);
    const derived = [
      key.derive('hash', 'tenant'),
      key.derive('hash', 'tenant2'),
      key.derive('seal', 'tenant'),
      key.derive('hashtenant', ''),
      key.derive('', 'hashtenant'),
      MasterKey.fromBase64(randomBytes(32).toString('base64')).derive('hash', 'tenant'),
    ].map((bytes) => bytes.toString('hex'));
    expect(new Set(derived).size).toBe(derived.length);
    expect(derived.every((hex) => hex.length === 64)).toBe(true);
    expect(key.derive('hash', 'tenant').toString('hex')).toBe(derived[0]);
  });

  it('does not print itself', () => {
    const key = MasterKey.fromBase64(BASE64);
    const printed = `${key} ${JSON.stringify(key)} ${inspect(key, { depth: 9, showHidden: true })}`;
    expect(printed).not.toMatch(/a2tra|6b6b6b|kkkk/);
  });
});
