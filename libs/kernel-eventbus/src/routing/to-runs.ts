import type { PendingEvent } from './claim-pending-events.sql.js';

/** One stream of one tenant. */
export function streamOf({ tenantId, streamKey }: Pick<PendingEvent, 'tenantId' | 'streamKey'>): string {
  return `${tenantId} ${streamKey}`;
}

/** What has to go one after the other: the streams of the ordered events, by their numbers. All else is a run of its own. */
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
