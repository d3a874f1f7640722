import { BUCKET_ENDS_MS, bucketOf, percentilesOf } from './latency-histogram.js';

const countsOf = (latencies: number[]) => {
  const counts = Array<number>(BUCKET_ENDS_MS.length + 1).fill(0);
  latencies.forEach((latency) => counts[bucketOf(latency)]!++);
  return counts;
};

describe('the latency histogram', () => {
  it('says nothing of nothing', () => {
    expect(percentilesOf([])).toBeNull();
    expect(percentilesOf([0, 0])).toBeNull();
  });

  it.each([[[7]], [[1, 2, 3, 900]], [Array.from({ length: 1_000 }, (_, n) => n)], [Array(50).fill(299_999)]])(
    'tells percentiles within the bucket of the true one: %#',
    (latencies: number[]) => {
      const { p50, p95, p99 } = percentilesOf(countsOf(latencies))!;
      const sorted = latencies.toSorted((a, b) => a - b);
      for (const [told, share] of [
        [p50, 0.5],
        [p95, 0.95],
        [p99, 0.99],
      ] as const) {
        expect(bucketOf(told)).toBe(bucketOf(sorted[Math.ceil(sorted.length * share) - 1]!));
      }
    },
  );

  it('tells what is longer than the last bucket as its end', () => {
    expect(percentilesOf(countsOf([10_000_000]))).toEqual({ p50: 300_000, p95: 300_000, p99: 300_000 });
  });
});
