import { backoffMs } from './backoff.js';

const policy = { initialDelayMs: 1_000, maxDelayMs: 300_000 };

describe('backoffMs', () => {
  it('[ADR-4] [KFM-4] doubles with each failure up to the maximum', () => {
    const delays = [1, 2, 3, 4, 9, 10, 30, 2_000].map((failures) => backoffMs(failures, policy, 0));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000, 300_000]);
  });

  it('[ADR-4] adds up to 20 % and is never early', () => {
    expect(backoffMs(1, policy, 0.5)).toBe(1_100);
    expect(backoffMs(1, policy, 0.999)).toBeLessThanOrEqual(1_200);
    expect(backoffMs(20, policy, 0.999)).toBeGreaterThanOrEqual(300_000);
  });
});
