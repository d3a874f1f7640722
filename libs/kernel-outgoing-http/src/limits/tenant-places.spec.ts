import { TenantPlaces, type PlaceLimits } from './tenant-places.js';

const { signal } = new AbortController();

/** Records the order in which tenants get a place. */
function setup(limits: PlaceLimits) {
  const places = new TenantPlaces(limits);
  const taken: string[] = [];
  const take = (tenantId: string, until = signal) => places.take(tenantId, until).then(() => void taken.push(tenantId));
  const release = async (tenantId: string) => {
    places.release(tenantId);
    await new Promise(setImmediate);
  };
  return { take, taken, release };
}

describe('TenantPlaces', () => {
  it('gives a tenant its share, and the rest to others', async () => {
    const { take, taken } = setup({ total: 3, perTenant: 2 });
    for (const tenantId of ['a', 'a', 'a', 'b', 'c']) void take(tenantId);
    await new Promise(setImmediate);
    expect(taken).toEqual(['a', 'a', 'b']);
  });

  it('lets tenants take turns, each first come, first served', async () => {
    const { take, taken, release } = setup({ total: 1, perTenant: 1 });
    for (const tenantId of ['a', 'a', 'a', 'b', 'b', 'c']) void take(tenantId);
    for (const tenantId of ['a', 'a', 'b', 'c', 'a']) await release(tenantId);
    expect(taken).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
  });

  it('steps over a tenant that has its share', async () => {
    const { take, taken, release } = setup({ total: 2, perTenant: 1 });
    for (const tenantId of ['a', 'b', 'a', 'c']) void take(tenantId);
    await release('b');
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  it('keeps a reserve for tenants that hold no place, one for each', async () => {
    const { take, taken, release } = setup({ total: 2, perTenant: 2, reserve: 1 });
    for (const tenantId of ['a', 'a', 'a', 'b', 'b', 'c']) void take(tenantId);
    await release('b');
    expect(taken).toEqual(['a', 'a', 'b', 'b']);
    await release('b');
    expect(taken).toEqual(['a', 'a', 'b', 'b', 'c']);
    await release('a');
    expect(taken).toEqual(['a', 'a', 'b', 'b', 'c']);
    await release('c');
    expect(taken).toEqual(['a', 'a', 'b', 'b', 'c', 'a']);
  });

  it('gives the reserve to one that waits and has left its last place, besides the one that enters in its stead', async () => {
    const { take, taken, release } = setup({ total: 2, perTenant: 2, reserve: 1 });
    for (const tenantId of ['a', 'b', 'b', 'a']) void take(tenantId);
    await release('a');
    expect(taken).toEqual(['a', 'b', 'b', 'a']);
  });

  it('forgets those who give up', async () => {
    const { take, taken, release } = setup({ total: 1, perTenant: 1 });
    const impatient = new AbortController();
    void take('a');
    const given = [take('a', impatient.signal), take('b', impatient.signal)];
    void take('c');
    impatient.abort(new Error('gave up'));
    for (const waiting of given) await expect(waiting).rejects.toThrow('gave up');
    await release('a');
    expect(taken).toEqual(['a', 'c']);
    await expect(take('d', impatient.signal)).rejects.toThrow('gave up');
  });
});
