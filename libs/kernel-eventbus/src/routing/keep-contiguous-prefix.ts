import type { PendingEvent } from './pending-events.sql.js';
import type { Unrouted } from './find-unrouted.sql.js';

/**
 * Drops events with a lower number of their stream still to be routed: each stream is routed as a contiguous prefix, so
 * that no lane ever gets a number after a higher one.
 */
export function keepContiguousPrefix<Event extends PendingEvent>(
  events: readonly Event[],
  unrouted: readonly Unrouted[],
): Event[] {
  const limits = new Map(unrouted.map((row) => [`${row.tenantId} ${row.streamKey}`, BigInt(row.sequence)]));
  return events.filter((event) => {
    const limit = limits.get(`${event.tenantId} ${event.streamKey}`);
    return limit === undefined || event.streamSequence === null || BigInt(event.streamSequence) < limit;
  });
}
