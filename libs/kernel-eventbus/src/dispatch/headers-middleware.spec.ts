import { CredentialsService, SecretValue } from '@kernel/secrets';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointInvocation } from './endpoint-invoker-middleware.js';
import { HeadersMiddleware } from './headers-middleware.js';

/** Long, of many words, and with quotes, so that each counts several times; the response begins them over and over. */
const hostile = (place: number) =>
  `${'"'.repeat(1_300)} ${'b'.repeat(1_000)} ${'c'.repeat(1_000)}${place}${'\\'.repeat(700)}`;
const response: OutgoingResult = {
  ...{ kind: 'response', statusCode: 200, latencyMs: 1, bodyExcerpt: `${'"'.repeat(1_023)}!` },
  headers: Object.fromEntries(Array.from({ length: 800 }, (_, place) => [`x-${place}`, 'bbbbbbbcccccc!'])),
};

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
  it('masks twenty long credentials in a response about as fast as one', async () => {
    const one = endpointWith([hostile(0)]);
    const twenty = endpointWith(Array.from({ length: 20 }, (_, place) => hostile(place)));
    const times: { one: number[]; twenty: number[] } = { one: [], twenty: [] };
    for (let round = 0; round < 25; round += 1) {
      times.one.push(await timeOf(() => one.attempt(response)));
      times.twenty.push(await timeOf(() => twenty.attempt(response)));
    }
    expect(median(times.twenty) / median(times.one)).toBeLessThan(6);
  });

  it('masks the new value of a rotated credential', async () => {
    const endpoint = endpointWith(['Bearer the-first-value']);
    const echo = (bodyExcerpt: string) => ({ ...response, headers: {}, bodyExcerpt });
    expect(await endpoint.attempt(echo('the-first-value'))).toMatchObject({ bodyExcerpt: '[secret]' });
    endpoint.values[0] = new SecretValue('Bearer another-value');
    expect(await endpoint.attempt(echo('another-value'))).toMatchObject({ bodyExcerpt: '[secret]' });
  });
});
