import type { PreparedEvent } from './prepare-event.js';

export interface CountedStream {
  tenantId: string;
  streamKey: string;
  /** Sequence numbers that the transaction takes. */
  count: number;
}

/**
 * Sequence numbers that a transaction's events take, by stream. Streams are sorted, so that two transactions with
 * several streams cannot deadlock. `behind`: number of later events of the same stream; null for an event without a
 * sequence number.
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
