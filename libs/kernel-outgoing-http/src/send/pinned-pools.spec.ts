import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PinnedPools, type PinnedPoolsOptions } from './pinned-pools.js';

const first = { address: '127.0.0.1', family: 4 as const };
const second = { address: '127.0.0.2', family: 4 as const };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function setup(options?: PinnedPoolsOptions) {
  const pools = new PinnedPools(options);
  cleanups.push(() => pools.close());
  return pools;
}

/** A server that takes a request and never answers. */
async function setupSilentServer() {
  const requested = Promise.withResolvers<void>();
  const server = createServer(() => requested.resolve());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://x.test:${(server.address() as AddressInfo).port}`, requested: requested.promise };
}

describe('PinnedPools', () => {
  it('gives one pool per origin and address', () => {
    const pools = setup();
    const pool = pools.acquire('https://a.test', first);
    expect(pools.acquire('https://a.test', first)).toBe(pool);
    expect(pools.acquire('https://a.test', second)).not.toBe(pool);
    expect(pools.acquire('https://a.test:8443', first)).not.toBe(pool);
    expect(pools.acquire('http://a.test', first)).not.toBe(pool);
    expect(pools.size).toBe(4);
  });

  it('closes the least recently used one to make room', () => {
    const pools = setup({ maxPools: 2 });
    const a = pools.acquire('https://a.test', first);
    const b = pools.acquire('https://b.test', first);
    pools.acquire('https://a.test', first);
    pools.acquire('https://c.test', first);
    expect([a.closed, b.closed, pools.size]).toEqual([false, true, 2]);
  });

  it('spares one in use while another is idle', async () => {
    const { origin, requested } = await setupSilentServer();
    const pools = setup({ maxPools: 2, closeGraceMs: 0 });
    const busy = pools.acquire(origin, first);
    const response = busy.request({ path: '/', method: 'POST' });
    await requested;
    const idle = pools.acquire('https://b.test', first);
    pools.acquire('https://c.test', first);
    expect([busy.closed, idle.closed]).toEqual([false, true]);
    await Promise.all([pools.close(), expect(response).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' })]);
  });

  it('cuts what does not finish within the grace period, evicted pools included', async () => {
    const { origin, requested } = await setupSilentServer();
    const pools = setup({ maxPools: 1, closeGraceMs: 0 });
    const busy = pools.acquire(origin, first);
    const response = busy.request({ path: '/', method: 'POST' });
    await requested;
    pools.acquire('https://b.test', first);
    expect(busy.closed).toBe(true);
    await Promise.all([pools.close(), expect(response).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' })]);
  });

  it('opens nothing after close, which may be called twice', async () => {
    const pools = setup();
    await pools.close();
    await pools.close();
    expect(() => pools.acquire('https://a.test', first)).toThrow('shutting down');
  });
});
