import type { Caller } from './caller.js';
import { defaultReadConcurrency, ReadPlaces } from './read-places.js';

const tenant = (tenantId: string): Caller => ({ actor: 'admin', tenantId });
const operator = (actor: string): Caller => ({ actor });

/** Starts work that ends on demand, and tells how much of it runs. */
function setup(concurrency: number, waitMs = 60_000) {
  const places = new ReadPlaces(concurrency, waitMs);
  const { promise: end, resolve: release } = Promise.withResolvers<void>();
  const running: string[] = [];
  const begin = (caller: Caller) =>
    places.hold(caller, () => {
      running.push(caller.tenantId ?? caller.actor);
      return end;
    });
  return { places, running, begin, release };
}

/** Places are taken in a few microtasks. */
const settle = () => new Promise(setImmediate);

describe('ReadPlaces', () => {
  it('takes a third of the pool, and at least two', () => {
    expect([1, 5, 10, 20].map(defaultReadConcurrency)).toEqual([2, 2, 3, 6]);
  });

  it.each([2, 3, 6])('gives one tenant half of what is shared, and operators a reserve: %d places', async (total) => {
    const { running, begin, release } = setup(total);
    const work = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'].map((id) => begin(tenant(id)));
    await settle();
    const shared = total - Math.max(1, Math.floor(total / 3));
    expect(running).toHaveLength(shared);
    expect(running.filter((id) => id === 'a')).toHaveLength(Math.max(1, Math.floor(shared / 2)));
    work.push(begin(operator('ops')));
    await settle();
    expect(running).toContain('ops');
    release();
    await Promise.all(work);
    expect(running).toHaveLength(10);
  });

  it("leaves a place to other operators beside one operator's token", async () => {
    const { running, begin, release } = setup(2);
    const work = [begin(operator('one')), begin(operator('one')), begin(operator('two'))];
    await settle();
    expect(running).toEqual(['one', 'two']);
    release();
    await Promise.all(work);
  });

  it('leaves the shared places to tenants while the reserved one is free', async () => {
    const { running, begin, release } = setup(3);
    const work = [begin(operator('one')), begin(operator('two')), begin(tenant('a'))];
    await settle();
    expect(running).toEqual(['one', 'two', 'a']);
    release();
    await Promise.all(work);
  });

  it('refuses a holder with too many waiting requests at once, and not the others', async () => {
    const { begin, release } = setup(2);
    const work = Array.from({ length: 100 }, () => begin(tenant('a')));
    await expect(begin(tenant('a'))).rejects.toMatchObject({ code: 'BUSY' });
    work.push(begin(operator('ops')));
    release();
    await Promise.all(work);
  });

  it('keeps the place of a read for the reads within it', async () => {
    const { places } = setup(2);
    const nested = () => places.hold(tenant('a'), () => places.hold(tenant('a'), async () => 'read'));
    expect(await Promise.all([nested(), nested(), nested()])).toEqual(['read', 'read', 'read']);
  });

  it('refuses who waits too long, and serves the next one after the place is free', async () => {
    const { begin, release, places } = setup(2, 20);
    const first = begin(tenant('a'));
    await expect(begin(tenant('b'))).rejects.toMatchObject({ code: 'BUSY' });
    release();
    await first;
    expect(await places.hold(tenant('b'), async () => 'read')).toBe('read');
  });

  it('does one long piece of work at a time, beside the others', async () => {
    const { places, begin, release } = setup(2, 20);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const long = places.holdLong(operator('ops'), () => end);
    await expect(places.holdLong(operator('two'), async () => undefined)).rejects.toMatchObject({
      code: 'BUSY',
    });
    release();
    await begin(operator('ops'));
    resolve();
    await long;
  });
});
