/** Upper bounds of the buckets; the last bucket has none. Each bound is at most 1.5 times the one before. */
export const BUCKET_ENDS_MS = [
  ...[1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400, 500, 700],
  ...[1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000],
];

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export function bucketOf(latencyMs: number): number {
  const bucket = BUCKET_ENDS_MS.findIndex((end) => latencyMs <= end);
  return bucket === -1 ? BUCKET_ENDS_MS.length : bucket;
}

/** Null if the counts are empty. Values are assumed to be evenly distributed within a bucket. */
export function percentilesOf(counts: readonly number[]): Percentiles | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total === 0
    ? null
    : {
        p50: percentile(counts, total * 0.5),
        p95: percentile(counts, total * 0.95),
        p99: percentile(counts, total * 0.99),
      };
}

function percentile(counts: readonly number[], rank: number): number {
  let before = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const start = BUCKET_ENDS_MS[bucket - 1] ?? 0;
      const end = BUCKET_ENDS_MS[bucket] ?? start;
      return Math.round((start + ((end - start) * (rank - before)) / count) * 10) / 10;
    }
    before += count;
  }
  return BUCKET_ENDS_MS.at(-1)!;
}
