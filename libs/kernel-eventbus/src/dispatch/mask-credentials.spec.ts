import { maskCredentials } from './mask-credentials.js';

const TOKEN = 'Bearer 8f2d-sentinel-token';

function answered(bodyExcerpt: string, headers: Record<string, string> = {}) {
  return { kind: 'response' as const, statusCode: 200, headers, bodyExcerpt, latencyMs: 1 };
}

describe('maskCredentials', () => {
  it.each([
    ['the whole', `got ${TOKEN}.`, 'got [secret].'],
    ['its token alone', '{"token":"8f2d-sentinel-token"}', '{"token":"[secret]"}'],
    ['both', `${TOKEN} 8f2d-sentinel-token`, '[secret] [secret]'],
    ['a beginning where the excerpt ends', 'got 8f2d-senti', 'got [secret]'],
    ['nothing of it', 'Bear with us', 'Bear with us'],
  ])('masks %s in what a receiver sends back', (_, excerpt, masked) => {
    expect(maskCredentials(answered(excerpt), [TOKEN])).toMatchObject({ bodyExcerpt: masked });
  });

  it('masks it in headers, in the message of a failure and escaped as JSON', () => {
    expect(maskCredentials(answered('', { echo: TOKEN }), [TOKEN])).toMatchObject({ headers: { echo: '[secret]' } });
    const failure = {
      kind: 'failure' as const,
      errorClass: 'middleware' as const,
      message: `no ${TOKEN}`,
      latencyMs: 0,
    };
    expect(maskCredentials(failure, [TOKEN])).toEqual({ ...failure, message: 'no [secret]' });
    expect(maskCredentials(answered(JSON.stringify('a"b\\c')), ['a"b\\c'])).toMatchObject({
      bodyExcerpt: '"[secret]"',
    });
  });
});
