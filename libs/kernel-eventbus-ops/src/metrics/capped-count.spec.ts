import { COUNT_CAP, cappedCount } from './capped-count.js';

describe('a capped count', () => {
  it.each([
    ['is exact up to the cap, whatever the statistics say', COUNT_CAP, 5_000_000, COUNT_CAP],
    ['is the estimate beyond it', COUNT_CAP + 1, 5_000_000, 5_000_000],
    ['is never less than what was counted', COUNT_CAP + 1, 12, COUNT_CAP + 1],
  ])('%s', (_what, counted, estimate, count) => {
    expect(cappedCount({ counted, estimate })).toBe(count);
  });
});
