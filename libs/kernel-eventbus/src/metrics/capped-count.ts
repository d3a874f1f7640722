/** Up to here is counted; what goes beyond is estimated, so that a scrape costs the same however much waits. */
export const COUNT_CAP = 10_000;

/** `estimate` comes from the planner's statistics, and counts for nothing below the cap. */
export function cappedCount({ counted, estimate }: { counted: number; estimate: number }): number {
  return counted > COUNT_CAP ? Math.max(counted, estimate) : counted;
}
