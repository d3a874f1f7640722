import { jest } from '@jest/globals';
import { EndpointCache } from './endpoint-cache.js';
import type { EndpointSettings } from './endpoint-settings.js';

const settings = (endpointId: string, version: string, url = 'https://example.com') =>
  ({ endpointId, version, url, headers: {} }) as EndpointSettings;
const seen = (endpointId: string, endpointVersion: string) => ({ endpointId, endpointVersion });

describe('EndpointCache', () => {
  let cache: EndpointCache;
  let stored: Map<string, EndpointSettings>;
  let reads: string[][];
  beforeEach(() => {
    cache = new EndpointCache();
    stored = new Map(['a', 'b'].map((endpointId) => [endpointId, settings(endpointId, '1')]));
    reads = [];
  });

  const read = async (endpointIds: string[]) => {
    reads.push(endpointIds);
    return endpointIds.map((endpointId) => ({ ...stored.get(endpointId)! }));
  };
  const resolve = async (...all: ReturnType<typeof seen>[]) => [...(await cache.resolve(all, read)).values()];

  it('reads unknown endpoints once, in one statement, and returns the same object afterwards', async () => {
    const first = await resolve(seen('a', '1'), seen('b', '1'), seen('a', '1'));
    expect(reads).toEqual([['a', 'b']]);
    const [a, b] = await resolve(seen('a', '1'), seen('b', '1'));
    expect([a, b].map((one, place) => one === first[place])).toEqual([true, true]);
    expect(reads).toHaveLength(1);
  });

  it('reads an endpoint anew whose version differs, and no other', async () => {
    await resolve(seen('a', '1'), seen('b', '1'));
    stored.set('a', settings('a', '2', 'https://example.org'));
    const [b, a] = await resolve(seen('a', '2'), seen('b', '1'));
    expect([a, b]).toMatchObject([{ url: 'https://example.org' }, { url: 'https://example.com' }]);
    expect(reads.slice(1)).toEqual([['a']]);
  });

  it('returns newer settings where the endpoint changed after the statement', async () => {
    stored.set('a', settings('a', '2'));
    const [newer] = await resolve(seen('a', '1'));
    expect(newer).toMatchObject({ version: '2' });
    const [same] = await resolve(seen('a', '2'));
    expect(same).toBe(newer);
  });

  it('shares one object among claims that read the same version at the same time', async () => {
    const [one, other] = await Promise.all([resolve(seen('a', '1')), resolve(seen('a', '1'))]);
    expect(other[0]).toBe(one[0]);
  });

  it('does not take an older version that is read late for the current one', async () => {
    const late = Promise.withResolvers<EndpointSettings[]>();
    const reading = cache.resolve([seen('a', '1')], () => late.promise);
    stored.set('a', settings('a', '2'));
    await resolve(seen('a', '2'));
    late.resolve([settings('a', '1')]);
    await reading;
    expect(await resolve(seen('a', '2'))).toMatchObject([{ version: '2' }]);
  });

  it('reads settings again after a minute, and keeps the object unless they differ', async () => {
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const [first] = await resolve(seen('a', '1'));
    now += 60_001;
    const [same] = await resolve(seen('a', '1'));
    await resolve(seen('a', '1'));
    expect(same).toBe(first);
    expect(reads).toHaveLength(2);
    stored.set('a', settings('a', '1', 'https://example.org'));
    now += 60_001;
    expect(await resolve(seen('a', '1'))).toMatchObject([{ url: 'https://example.org' }]);
    clock.mockRestore();
  });

  it('returns settings that cannot be changed', async () => {
    const [a] = await resolve(seen('a', '1'));
    expect(() => Object.assign(a!, { url: 'https://example.net' })).toThrow(TypeError);
  });

  it('evicts the endpoints that were not used for longest when it is full', async () => {
    const large = 'x'.repeat(1024 * 1024);
    const ids = Array.from({ length: 10 }, (_, n) => `large ${n}`);
    ids.forEach((endpointId) => stored.set(endpointId, settings(endpointId, '1', large)));
    for (const endpointId of ids) {
      await resolve(seen(endpointId, '1'));
      await resolve(seen(ids[0]!, '1'));
    }
    expect(reads).toHaveLength(ids.length);
    await resolve(...ids.map((endpointId) => seen(endpointId, '1')));
    expect(reads.at(-1)).toEqual(ids.slice(1, 4));
  });
});
