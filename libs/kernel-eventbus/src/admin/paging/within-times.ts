/** The condition for `since` (inclusive) and `until` (exclusive); empty when neither is given. */
export function withinTimes(since: Date | undefined, until?: Date): { $gte?: Date; $lt?: Date } | undefined {
  return since || until ? { ...(since && { $gte: since }), ...(until && { $lt: until }) } : undefined;
}
