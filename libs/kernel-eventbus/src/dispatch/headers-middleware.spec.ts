import { CredentialsService, SecretValue } from '@kernel/secrets';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointInvocation } from './endpoint-invoker-middleware.js';
import { HeadersMiddleware } from './headers-middleware.js';

/** The response repeats the quotes, so these begin at each of its places; half of them also occur there. */
const hostile = (length: number) =>
  Array.from({ length: 20 }, (_, place) => {
    const quotes = '"'.repeat(length + place);
    return `Bearer ${quotes}${place % 2 ? quotes : String.fromCharCode(97 + place).repeat(length)}`;
  });
const echoing: OutgoingResult = {
  ...{ kind: 'response', statusCode: 200, latencyMs: 1, bodyExcerpt: `${'"'.repeat(1_023)}!` },
  headers: { 'x-echo': '"'.repeat(8_000), 'x-escaped': '\\"'.repeat(4_000) },
};
const ordinary: OutgoingResult = { ...echoing, headers: {}, bodyExcerpt: '{"ok":true}'.repeat(93) };

function endpointWith(credentials: readonly string[]) {
  const values = credentials.map((text) => new SecretValue(text));
  const provider = {
    liveVersions: async (_tenantId: string, alias: string) => [{ version: 1, value: values[Number(alias)]! }],
  };
  const middleware = new HeadersMiddleware(new CredentialsService(provider));
  const headers = Object.fromEntries(values.map((_, place) => [`x-key-${place}`, { secretAlias: String(place) }]));
  const invocation = {
    delivery: { tenantId: 't', headers },
    request: { headers: {} },
  } as unknown as EndpointInvocation;
  return {
    values,
    attempt: (result: OutgoingResult) => middleware.invoke(invocation, async () => result),
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;

describe('HeadersMiddleware', () => {
  it.each([
    { kind: 'a response that repeats them', response: echoing, limit: 6 },
    // Only the work per character of the credentials counts here: a hundred times as many.
    { kind: 'an ordinary response', response: ordinary, limit: 40 },
  ])('masks twenty new long credentials in $kind not much slower than short ones', async ({ response, limit }) => {
    const attemptWith = (credentials: readonly string[]) => timeOf(() => endpointWith(credentials).attempt(response));
    const times: { short: number[]; long: number[] } = { short: [], long: [] };
    for (let round = 0; round < 25; round += 1) {
      times.short.push(await attemptWith(hostile(20)));
      times.long.push(await attemptWith(hostile(2_000)));
    }
    expect(median(times.long) / median(times.short)).toBeLessThan(limit);
  });

  it('masks the new value of a rotated credential', async () => {
    const endpoint = endpointWith(['Bearer the-first-value']);
    const echo = (bodyExcerpt: string) => ({ ...ordinary, bodyExcerpt });
    expect(await endpoint.attempt(echo('the-first-value'))).toMatchObject({ bodyExcerpt: '[secret]' });
    endpoint.values[0] = new SecretValue('Bearer another-value');
    expect(await endpoint.attempt(echo('another-value'))).toMatchObject({ bodyExcerpt: '[secret]' });
  });
});
