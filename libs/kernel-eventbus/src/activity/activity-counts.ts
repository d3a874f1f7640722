/** Event counts within one time step. */
export interface ActivityCounts {
  published: number;
  delivered: number;
  failedAttempts: number;
  deadLettered: number;
  /** Deliveries by response time of their endpoint. Shorter than the bucket list if the last buckets are empty. */
  latencyCounts: number[];
}

export function noActivity(): ActivityCounts {
  return { published: 0, delivered: 0, failedAttempts: 0, deadLettered: 0, latencyCounts: [] };
}

export function addCounts(sum: ActivityCounts, more: ActivityCounts): void {
  sum.published += more.published;
  sum.delivered += more.delivered;
  sum.failedAttempts += more.failedAttempts;
  sum.deadLettered += more.deadLettered;
  more.latencyCounts.forEach((count, bucket) => addLatencies(sum, bucket, count));
}

export function addLatencies({ latencyCounts }: ActivityCounts, bucket: number, count: number): void {
  while (latencyCounts.length <= bucket) {
    latencyCounts.push(0);
  }
  latencyCounts[bucket]! += count;
}
