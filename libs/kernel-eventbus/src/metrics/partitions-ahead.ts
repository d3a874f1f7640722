import type { PartitionRange } from '../upkeep/partition-range.js';

/** How many partitions follow without a gap on the one that events are written to now. */
export function partitionsAhead(nowMs: number, partitions: readonly PartitionRange[]): number {
  const inOrder = [...partitions].sort((a, b) => a.fromMs - b.fromMs);
  let end = inOrder.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs)?.toMs;
  let ahead = 0;
  for (const { fromMs, toMs } of inOrder) {
    if (fromMs === end) {
      end = toMs;
      ahead++;
    }
  }
  return ahead;
}
