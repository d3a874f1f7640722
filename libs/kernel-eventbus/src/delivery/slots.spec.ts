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

  it.each([
    ['one after the other', [4, 2]],
    ['beside a plan that is made in the database', [4]],
  ])('give each of two plans at once no more than its share: %s', (_, expected) => {
    const both = slots();
    const rooms = [both.reserve(100, 2), both.reserve(100, 2)];
    expect(rooms.slice(0, expected.length).map(takeAll)).toEqual(expected);
  });

  it('are free again when a plan ends', () => {
    const one = slots();
    const room = one.reserve(3);
    expect(takeAll(room)).toBe(3);
    room.end();
    expect(one.held()).toEqual({ endpointIds: [], counts: [] });
  });
});
