import { partitionsAhead } from './partitions-ahead.js';

const range = (fromMs: number, toMs: number) => ({ fromMs, toMs });

describe('partitions ahead', () => {
  it.each([
    ['nothing is there', [], 0],
    ['only the current one is there', [range(0, 10)], 0],
    ['two follow, in any order', [range(20, 30), range(0, 10), range(10, 20)], 2],
    ['a gap ends the row', [range(0, 10), range(10, 20), range(30, 40)], 1],
    ['the current one is missing', [range(10, 20), range(20, 30)], 0],
    ['others are past', [range(-20, -10), range(-10, 0), range(0, 10), range(10, 25)], 1],
  ])('%s', (_what, partitions, ahead) => {
    expect(partitionsAhead(5, partitions)).toBe(ahead);
  });
});
