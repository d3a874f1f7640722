import type { Partition, PartitionRange } from '../envelope/partition-range.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Time between expiry and drop. A delivered event can be replayed until it expires; a replay that starts just before
 * has finished by then.
 */
const GRACE_MS = HOUR_MS;

/** Ranges to create for the current and the next intervals. Existing ranges of another width are kept. */
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
  /** Partitions with expired events only, oldest first. */
  partitions: Partition[];
  /** An event created at or after this time keeps its partition, whatever its id. */
  createdBeforeMs: number;
  /** Events of deliveries created before this time are in expired partitions or gone. */
  deliveriesBeforeMs: number;
  /** Handlers may forget processed events from before this time. */
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
