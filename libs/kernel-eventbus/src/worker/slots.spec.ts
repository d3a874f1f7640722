import { Slots } from './slots.js';

const limited = { tenantId: 'a', endpointId: 'limited', maxInFlight: 1 };
const takeAll = (room: { take(endpoint: typeof limited): boolean }) => {
  let taken = 0;
  while (room.take(limited)) {
    taken++;
  }
  return taken;
};

describe('Slots', () => {
  const slots = () => new Slots({ total: 64, perEndpoint: 32, prefetch: 8 });

  it('give one plan all that is free for an endpoint', () => {
    const one = slots();
    one.hold(limited);
    expect(takeAll(one.reserve(100))).toBe(7);
  });

  it('give two plans at once no more than is free, together', () => {
    const both = slots();
    const rooms = [both.reserve(5), both.reserve(100)];
    expect(rooms.map(takeAll)).toEqual([5, 3]);
  });

  it('are free again when a plan ends', () => {
    const one = slots();
    const room = one.reserve(3);
    expect(takeAll(room)).toBe(3);
    room.end();
    expect(one.held()).toEqual({ endpointIds: [], counts: [] });
  });

  it('keep a reserve for tenants that hold no place when one tenant holds them all', () => {
    const all = new Slots({ total: 8, perEndpoint: 8, prefetch: 2 });
    const greedy = (n: number) => ({ tenantId: 'greedy', endpointId: `e${n}`, maxInFlight: null });
    const held = Array.from({ length: 20 }, (_, n) => all.reserve(1).take(greedy(n)));
    expect(held.filter(Boolean)).toHaveLength(16);

    const share = all.shareForNewcomers();
    expect(share).toEqual({ limit: 4, exceptTenantIds: ['greedy'], perTenant: 2 });
    const room = all.reserveForNewcomers(share);
    const take = (tenantId: string) => room.take({ tenantId, endpointId: tenantId, maxInFlight: null });
    expect(['greedy', 'b', 'b', 'b', 'c', 'd', 'e'].map(take)).toEqual([false, true, true, false, true, true, false]);

    room.end();
    expect(all.shareForNewcomers().limit).toBe(4);
  });
});
