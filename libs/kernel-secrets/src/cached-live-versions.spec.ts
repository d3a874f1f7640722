import { CachedLiveVersions } from './cached-live-versions.js';
import { SecretValue } from './secret-value.js';
import type { SecretVersion } from './secrets-provider.js';

describe('CachedLiveVersions', () => {
  it('loads once within the life of an entry and again after it', async () => {
    const { cache, clock, counter, load } = setup({ ttlMs: 5000 });
    await cache.get('a', load);
    clock.nowMs = 4999;
    await cache.get('a', load);
    expect(counter.loads).toBe(1);
    clock.nowMs = 5000;
    await cache.get('a', load);
    expect(counter.loads).toBe(2);
  });

  it('shares one loading between callers that ask at the same time', async () => {
    const { cache, counter, load } = setup();
    await Promise.all([cache.get('a', load), cache.get('a', load), cache.get('a', load)]);
    expect(counter.loads).toBe(1);
  });

  it('keeps nothing when its life is zero', async () => {
    const { cache, counter, load } = setup({ ttlMs: 0 });
    await cache.get('a', load);
    await cache.get('a', load);
    expect(counter.loads).toBe(2);
  });

  it('keeps neither a failure nor an empty answer', async () => {
    const { cache, load } = setup();
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await expect(cache.get('a', () => Promise.resolve([]))).resolves.toEqual([]);
    await expect(cache.get('a', load)).resolves.toHaveLength(1);
  });

  it('lets a failure through once the entry is past its life', async () => {
    const { cache, clock, load } = setup({ ttlMs: 5000 });
    await cache.get('a', load);
    clock.nowMs = 5000;
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  });

  it('is not changed by what a caller does to the answer', async () => {
    const { cache, load } = setup();
    (await cache.get('a', load)).pop();
    await expect(cache.get('a', load)).resolves.toHaveLength(1);
  });

  it('drops the oldest entry when it is full', async () => {
    const { cache, counter, load } = setup({ maxEntries: 2 });
    for (const key of ['a', 'b', 'c', 'b', 'c']) {
      await cache.get(key, load);
    }
    expect(counter.loads).toBe(3);
    await cache.get('a', load);
    expect(counter.loads).toBe(4);
  });

  it('does not keep what began to load before the secret changed', async () => {
    const { cache, counter, load } = setup();
    const slow = Promise.withResolvers<SecretVersion[]>();
    const early = cache.get('a', () => slow.promise);
    cache.forget('a');
    slow.resolve([version(1)]);
    await early;
    await cache.get('a', load);
    expect(counter.loads).toBe(1);
  });

  it.each(['isCommitted', 'isRolledBack'] as const)('keeps nothing of a changing secret until %s', async (end) => {
    const { cache, counter, load } = setup();
    const transaction = { isCommitted: false, isRolledBack: false };
    cache.forget('a', transaction);
    await cache.get('a', load);
    await cache.get('a', load);
    expect(counter.loads).toBe(2);
    transaction[end] = true;
    await cache.get('a', load);
    await cache.get('a', load);
    expect(counter.loads).toBe(3);
  });
});

function setup({ ttlMs = 5000, maxEntries }: { ttlMs?: number; maxEntries?: number } = {}) {
  const clock = { nowMs: 0 };
  const cache = new CachedLiveVersions({ ttlMs, maxEntries, now: () => clock.nowMs });
  const counter = { loads: 0 };
  const load = async () => {
    counter.loads += 1;
    return [version(1)];
  };
  return { cache, clock, counter, load };
}

function version(number: number): SecretVersion {
  return { version: number, value: new SecretValue('whsec_') };
}
