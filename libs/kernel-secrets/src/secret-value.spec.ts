import { AssertionError } from 'node:assert';
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { pino } from 'pino';
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
    ['format', (secret: SecretValue) => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
    ['inspection past its own', (secret: SecretValue) => inspect(secret, { customInspect: false, showHidden: true })],
    [
      'the message and cause of an error',
      (secret: SecretValue) => inspect(new Error(`no ${secret}`, { cause: secret })),
    ],
    ['a property of an error', (secret: SecretValue) => inspect(Object.assign(new Error('no'), { secret }))],
    ['a failed assertion', (secret: SecretValue) => inspect(new AssertionError({ actual: secret, expected: 1 }))],
    ['console', (secret: SecretValue) => written((out) => new Console(out).log('%s', secret, { secret }))],
    [
      'pino',
      (secret: SecretValue) =>
        written((out) => pino({}, out).info({ secret, err: new Error('no', { cause: secret }) }, 'x %s', secret)),
    ],
    ['locale', (secret: SecretValue) => [secret].toLocaleString()],
    ['own keys', (secret: SecretValue) => JSON.stringify([Reflect.ownKeys(secret), Object.entries({ ...secret })])],
    ['a structured clone', (secret: SecretValue) => inspect(structuredClone(secret), { showHidden: true })],
  ])('hides from %s', (_, print) => {
    expect(print(new SecretValue(TEXT))).not.toContain('MfKQ9r8');
  });

  it('is written by a logger as a mask', () => {
    expect(written((out) => pino({}, out).info({ secret: new SecretValue(TEXT) }))).toContain('"secret":"[secret]"');
  });

  it('says that a secret is there', () => {
    const secret = new SecretValue(TEXT);
    expect([`${secret}`, JSON.stringify(secret), inspect(secret)]).toEqual(['[secret]', '"[secret]"', '[secret]']);
  });
});

function written(write: (out: Writable) => void): string {
  let text = '';
  write(new Writable({ write: (chunk, _encoding, done) => done(void (text += String(chunk))) }));
  return text;
}
