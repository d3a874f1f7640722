import type { PartitionRange } from '@kernel/eventbus/engine';

/** Number of partitions after the current one, without a gap. */
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
