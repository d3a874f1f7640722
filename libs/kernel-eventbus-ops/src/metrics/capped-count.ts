/** Counts are exact up to here and estimated beyond, which bounds the cost of a scrape. */
export const COUNT_CAP = 10_000;

/** `estimate` comes from the planner's statistics and is ignored below the cap. */
export function cappedCount({ counted, estimate }: { counted: number; estimate: number }): number {
  return counted > COUNT_CAP ? Math.max(counted, estimate) : counted;
}
