import fc from 'fast-check';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { CredentialMask } from './credential-mask.js';

const TOKEN = 'Bearer 8f2d-sentinel-token';

function answered(bodyExcerpt: string, headers: Record<string, string> = {}) {
  return { kind: 'response' as const, statusCode: 200, headers, bodyExcerpt, latencyMs: 1 };
}

const mask = (result: OutgoingResult, credentials: string[]) => new CredentialMask(credentials).apply(result);

describe('CredentialMask', () => {
  it.each([
    ['the whole', `got ${TOKEN}.`, 'got [secret].'],
    ['its token alone', '{"token":"8f2d-sentinel-token"}', '{"token":"[secret]"}'],
    ['both', `${TOKEN} 8f2d-sentinel-token`, '[secret] [secret]'],
    ['a beginning where the excerpt ends', 'got 8f2d-senti', 'got [secret]'],
    ['nothing of it', 'Bear with us', 'Bear with us'],
  ])('masks %s in what a receiver sends back', (_, excerpt, masked) => {
    expect(mask(answered(excerpt), [TOKEN])).toMatchObject({ bodyExcerpt: masked });
  });

  it('masks it in headers, in the message of a failure and escaped as JSON', () => {
    expect(mask(answered('', { echo: TOKEN }), [TOKEN])).toMatchObject({ headers: { echo: '[secret]' } });
    const failure = {
      kind: 'failure' as const,
      errorClass: 'middleware' as const,
      message: `no ${TOKEN}`,
      latencyMs: 0,
    };
    expect(mask(failure, [TOKEN])).toEqual({ ...failure, message: 'no [secret]' });
    expect(mask(answered(JSON.stringify('a"b\\c')), ['a"b\\c'])).toMatchObject({
      bodyExcerpt: '"[secret]"',
    });
  });

  it.each([
    ['that follow each other', 'one-tokenone-token', 'one-token', '[secret][secret]'],
    ['that overlap', 'xx abcabcabcabcabc yy', 'abcabcabc', 'xx [secret] yy'],
    ['that begin inside another beginning', 'abababababSECRET!', 'ababababSECRET', 'ab[secret]!'],
    ['of few characters as a whole', 'pin 1234.', '1234', 'pin [secret].'],
    ['after a scheme and several spaces', 'see the token', 'Custom  the token', 'see [secret]'],
    ['of no characters nowhere', 'all of it', '', 'all of it'],
    ['of which one contains another', 'see my-long-token-2', ['my-long-token-2', 'long-token'], 'see [secret]'],
  ])('masks credentials %s', (_, excerpt, credentials, masked) => {
    expect(mask(answered(excerpt), [credentials].flat())).toMatchObject({ bodyExcerpt: masked });
  });

  it('masks what a search for each piece alone finds', () => {
    const piece = fc.stringMatching(/^[ab]{6,9}$/);
    const text = fc.stringMatching(/^[abc]{0,60}$/);
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), text, (credentials, excerpt) => {
        const { bodyExcerpt } = mask(answered(`${excerpt}!`), credentials) as { bodyExcerpt: string };
        const isHidden = Array.from(excerpt, (_, place) =>
          credentials.some((credential) =>
            Array.from(credential, (__, offset) => place - offset).some(
              (from) => excerpt.startsWith(credential, from) && from >= 0,
            ),
          ),
        );
        const shown = Array.from(excerpt).filter((_, place) => !isHidden[place]);
        expect(bodyExcerpt.replaceAll('[secret]', '')).toBe(`${shown.join('')}!`);
      }),
    );
  });
});
