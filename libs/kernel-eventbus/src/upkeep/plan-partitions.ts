import type { Partition, PartitionRange } from './partition-range.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Expired by this much before it is dropped. Up to its expiry a delivered event can be replayed; whoever asked for that at
 * the last moment is done by then.
 */
const GRACE_MS = HOUR_MS;

/** What is to be made so that the current interval and those ahead are covered; ranges of another width are kept. */
export function missingPartitions(
  nowMs: number,
  existing: readonly PartitionRange[],
  { intervalHours, aheadCount }: { intervalHours: number; aheadCount: number },
): PartitionRange[] {
  const intervalMs = intervalHours * HOUR_MS;
  const current = Math.floor(nowMs / intervalMs) * intervalMs;
  return Array.from({ length: aheadCount + 1 }, (_, n) => current + n * intervalMs).flatMap((fromMs) =>
    uncovered({ fromMs, toMs: fromMs + intervalMs }, existing),
  );
}

function uncovered(range: PartitionRange, existing: readonly PartitionRange[]): PartitionRange[] {
  const [other] = existing.filter(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs);
  if (!other) {
    return range.fromMs < range.toMs ? [range] : [];
  }
  return [
    ...uncovered({ fromMs: range.fromMs, toMs: other.fromMs }, existing),
    ...uncovered({ fromMs: other.toMs, toMs: range.toMs }, existing),
  ];
}

export interface Expiry {
  /** Partitions of which every event has expired, oldest first. */
  partitions: Partition[];
  /** An event that was created since keeps its partition, whatever its id says. */
  createdBeforeMs: number;
  /** Deliveries made before have their event in an expired partition, if at all. */
  deliveriesBeforeMs: number;
  /** Events from before may be forgotten by the handlers that processed them. */
  processedBeforeMs: number;
}

type RetentionDays = Record<'publishedDays' | 'deliveryDays' | 'deadLetterDays' | 'processedDays', number>;

export function planExpiry(
  nowMs: number,
  existing: readonly Partition[],
  { publishedDays, deliveryDays, deadLetterDays, processedDays }: RetentionDays,
): Expiry {
  const createdBeforeMs = nowMs - publishedDays * DAY_MS - GRACE_MS;
  const partitions = existing.filter(({ toMs }) => toMs <= createdBeforeMs).sort((a, b) => a.fromMs - b.fromMs);
  const kept = existing.filter(({ toMs }) => toMs > createdBeforeMs).map(({ fromMs }) => fromMs);
  return {
    partitions,
    createdBeforeMs,
    deliveriesBeforeMs: Math.min(nowMs - Math.min(deliveryDays, deadLetterDays) * DAY_MS, ...kept),
    processedBeforeMs: nowMs - processedDays * DAY_MS,
  };
}
