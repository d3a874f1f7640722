/** The condition for `since` (inclusive) and `until` (exclusive); undefined if neither is given. */
export function withinTimes(since: string | undefined, until?: string): { $gte?: Date; $lt?: Date } | undefined {
  return since || until
    ? { ...(since && { $gte: new Date(since) }), ...(until && { $lt: new Date(until) }) }
    : undefined;
}
