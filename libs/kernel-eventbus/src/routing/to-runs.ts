import type { PendingEvent } from './pending-events.sql.js';

/** Key of a tenant's stream. */
export function streamOf({ tenantId, streamKey }: Pick<PendingEvent, 'tenantId' | 'streamKey'>): string {
  return `${tenantId} ${streamKey}`;
}

/** Groups events that must run in sequence: the streams of the ordered events, by number. Others run on their own. */
export function toRuns(events: readonly PendingEvent[], ordered: readonly PendingEvent[]): PendingEvent[][] {
  const orderedStreams = new Set(ordered.map(streamOf));
  const runs = new Map<string, PendingEvent[]>();
  for (const event of events) {
    const isInOrder = event.streamSequence !== null && orderedStreams.has(streamOf(event));
    const key = isInOrder ? streamOf(event) : event.eventId;
    runs.set(key, [...(runs.get(key) ?? []), event]);
  }
  return [...runs.values()].map((run) => run.toSorted((a, b) => Number(a.streamSequence) - Number(b.streamSequence)));
}
