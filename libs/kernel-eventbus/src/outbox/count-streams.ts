import type { PreparedEvent } from './prepare-event.js';

export interface CountedStream {
  tenantId: string;
  streamKey: string;
  /** How many numbers the transaction takes of it. */
  count: number;
}

/**
 * What a transaction's events take of their streams. The streams come sorted, so that two transactions with several streams
 * cannot wait for each other; `behind` says of each event how many of its stream follow, and is null where it takes no number.
 */
export function countStreams(events: readonly PreparedEvent[]): {
  streams: CountedStream[];
  behind: (number | null)[];
} {
  const counted = new Map<string, CountedStream>();
  const behind: (number | null)[] = [];
  for (let place = events.length - 1; place >= 0; place--) {
    const { tenantId, streamKey, isSequenced } = events[place]!;
    if (!isSequenced) {
      behind[place] = null;
      continue;
    }
    const key = `${tenantId} ${streamKey}`;
    const stream = counted.get(key) ?? { tenantId, streamKey, count: 0 };
    counted.set(key, stream);
    behind[place] = stream.count++;
  }
  const sorted = [...counted].sort(([a], [b]) => (a < b ? -1 : 1));
  return { streams: sorted.map(([, stream]) => stream), behind };
}
