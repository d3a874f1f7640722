import { Slots } from './slots.js';

const limited = { endpointId: 'limited', maxInFlight: 1 };
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
    one.hold('limited');
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
});
