import { randomBytes } from 'node:crypto';
import { parseSecret } from './parse-secret.js';
import { kindOf } from './secret-kind.js';
import { InvalidSecretError } from './secrets.errors.js';

describe('parseSecret', () => {
  it.each([
    ['hmac', `whsec_${randomBytes(32).toString('base64')}`],
    ['ed25519', `whsk_${randomBytes(32).toString('base64')}`],
    ['credential', 'Bearer 8f2d.abc-def'],
    ['credential', 'hunter2'],
    ['credential', 'k'.repeat(4096)],
  ])('tells a secret of the kind %s by its text', (kind, text) => {
    const secret = parseSecret(text);
    expect(secret.reveal()).toBe(text);
    expect(kindOf(secret)).toBe(kind);
  });

  it.each([
    ['nothing', '', 'has 0'],
    ['too much', 'k'.repeat(4097), 'has 4097'],
    ['CR and LF', 'sentinel-1\r\nx-evil: 1', 'a line break'],
    ['a line break at its end', 'sentinel-1\n', 'a line break'],
    ['NUL', 'sentinel-1\0', 'a control character'],
    ['what is not ASCII', 'sentinel-1é', 'beyond ASCII'],
    ['a blank before it', ' sentinel-1', 'begins or ends with a blank'],
    ['a prefix in capitals', 'WHSEC_sentinel-1', 'looks like a key to sign with'],
    ['a public key', 'whpk_sentinel-1', 'looks like a key to sign with'],
    ['a key that is none', 'whsk_sentinel-1', 'not padded standard base64'],
  ])('refuses %s and does not repeat it', (_, text, problem) => {
    const parse = () => parseSecret(text);
    expect(parse).toThrow(InvalidSecretError);
    expect(parse).toThrow(problem);
    expect(parse).not.toThrow('sentinel-1');
  });
});
