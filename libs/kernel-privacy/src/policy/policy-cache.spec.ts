import { PolicyCache } from './policy-cache.js';

function setup(maxEntries?: number) {
  const clock = { ms: 0 };
  const cache = new PolicyCache<number>({ ttlMs: 5_000, maxEntries, now: () => clock.ms });
  let looks = 0;
  const look = async () => ++looks;
  return { cache, clock, look };
}

describe('PolicyCache', () => {
  it('remembers until the time to live is over', async () => {
    const { cache, clock, look } = setup();
    expect(await cache.load('tenant', 'type', look)).toBe(1);
    clock.ms = 4_999;
    expect(await cache.load('tenant', 'type', look)).toBe(1);
    clock.ms = 5_000;
    expect(await cache.load('tenant', 'type', look)).toBe(2);
  });

  it('shares one look-up between callers that come at the same time', async () => {
    const { cache, look } = setup();
    expect(await Promise.all([cache.load('tenant', 'type', look), cache.load('tenant', 'type', look)])).toEqual([1, 1]);
  });

  it('[KER-T] keeps tenants and types apart', async () => {
    const { cache, look } = setup();
    const loads = [
      ['one', 'a'],
      ['other', 'a'],
      ['one', 'b'],
    ].map(([tenantId, eventType]) => cache.load(tenantId!, eventType!, look));
    expect(await Promise.all(loads)).toEqual([1, 2, 3]);
  });

  it('does not remember a failure', async () => {
    const { cache, look } = setup();
    await expect(cache.load('tenant', 'type', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.load('tenant', 'type', look)).toBe(1);
  });

  it('forgets a type for every tenant, and only that type', async () => {
    const { cache, look } = setup();
    await cache.load('one', 'a', look);
    await cache.load('other', 'a', look);
    await cache.load('one', 'b', look);
    cache.forget('a');
    expect(await cache.load('one', 'a', look)).toBe(4);
    expect(await cache.load('other', 'a', look)).toBe(5);
    expect(await cache.load('one', 'b', look)).toBe(3);
  });

  it('does not remember a look-up that was under way when its type was forgotten', async () => {
    const { cache, look } = setup();
    const underWay = Promise.withResolvers<number>();
    const stale = cache.load('tenant', 'type', () => underWay.promise);
    cache.forget('type');
    underWay.resolve(-1);
    expect(await stale).toBe(-1);
    expect(await cache.load('tenant', 'type', look)).toBe(1);
  });

  it('drops the oldest entry when it is full', async () => {
    const { cache, look } = setup(2);
    for (const type of ['a', 'b', 'c']) {
      await cache.load('tenant', type, look);
    }
    expect(cache.size).toBe(2);
    expect(await cache.load('tenant', 'c', look)).toBe(3);
    expect(await cache.load('tenant', 'a', look)).toBe(4);
  });
});
