import { inspect } from 'node:util';
import { SecretValue } from './secret-value.js';

const TEXT = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('SecretValue', () => {
  it('gives its text to reveal() only', () => {
    expect(new SecretValue(TEXT).reveal()).toBe(TEXT);
  });

  it.each([
    ['a template', (secret: SecretValue) => `${secret}`],
    ['concatenation', (secret: SecretValue) => '' + secret],
    ['String()', (secret: SecretValue) => String(secret)],
    ['JSON', (secret: SecretValue) => JSON.stringify({ secret })],
    ['inspection', (secret: SecretValue) => inspect({ secret }, { depth: 9, showHidden: true })],
    ['own keys', (secret: SecretValue) => JSON.stringify([Reflect.ownKeys(secret), Object.entries({ ...secret })])],
    ['a structured clone', (secret: SecretValue) => inspect(structuredClone(secret), { showHidden: true })],
  ])('hides from %s', (_, print) => {
    expect(print(new SecretValue(TEXT))).not.toContain('MfKQ9r8');
  });

  it('says that a secret is there', () => {
    const secret = new SecretValue(TEXT);
    expect([`${secret}`, JSON.stringify(secret), inspect(secret)]).toEqual(['[secret]', '"[secret]"', '[secret]']);
  });
});
