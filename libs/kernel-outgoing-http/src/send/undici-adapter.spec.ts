import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios, { AxiosError } from 'axios';
import { Exchange } from './exchange.js';
import { PinnedPools } from './pinned-pools.js';
import { createUndiciAdapter, type PinnedRequestConfig } from './undici-adapter.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setup() {
  const caller = new AbortController();
  const server = createServer((request, response) => {
    if (request.url === '/hang-up') response.destroy();
    else if (request.url === '/cancel') caller.abort();
    else response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pools = new PinnedPools();
  cleanups.push(
    () => server.close(),
    () => pools.close(),
  );
  const client = axios.create({ adapter: createUndiciAdapter(pools) });
  const origin = `http://x.test:${(server.address() as AddressInfo).port}`;
  const exchange = new Exchange(60_000, caller.signal);
  cleanups.push(() => exchange.end());
  const request = (config: Partial<PinnedRequestConfig>) =>
    client.request({
      method: 'post',
      url: origin,
      data: 'payload',
      headers: { 'webhook-signature': 'v1,signature' },
      pinnedAddress: { address: '127.0.0.1', family: 4 },
      exchange,
      ...config,
    } as PinnedRequestConfig);
  return { request, origin };
}

describe('createUndiciAdapter', () => {
  it.each([undefined, { address: 'localhost', family: 4 as const }])(
    'sends nothing without a vetted address: %j',
    async (pinnedAddress) => {
      const { request } = await setup();
      await expect(request({ pinnedAddress })).rejects.toMatchObject({ code: 'EVENTBUS_UNPINNED_REQUEST' });
    },
  );

  it('refuses a body that is not bytes', async () => {
    const { request } = await setup();
    await expect(request({ data: { a: 1 }, transformRequest: [] })).rejects.toMatchObject({ code: 'EVENTBUS_BODY' });
  });

  it.each([
    ['a broken connection', '/hang-up', 'UND_ERR_SOCKET'],
    ['a signal that fires', '/cancel', 'ERR_CANCELED'],
  ])('keeps request and headers out of the error of %s', async (_case, path, code) => {
    const { request, origin } = await setup();
    const error: AxiosError = await request({ url: origin + path }).catch((reason) => reason);
    expect(error).toBeInstanceOf(AxiosError);
    expect(error.code).toBe(code);
    expect(JSON.stringify(error)).not.toMatch(/v1,signature|payload/);
  });
});
