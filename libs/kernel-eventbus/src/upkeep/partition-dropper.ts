import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ledgerEntry } from '@kernel/ledger';
import { currentTraceId } from '../trace/trace-context.js';
import type { PruneBounds } from './batch-pruner.js';
import { dropPartition, retainEnvelopes, type DropOutcome, type PartitionContent } from './partitions.sql.js';
import { LockPatience } from './lock-patience.js';
import type { Partition } from '../envelope/partition-range.js';
import type { Expiry } from './plan-partitions.js';
import { engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';

/** `locked`: the outbox was in use for too long; the next round retries. */
type ExpiredOutcome = Exclude<DropOutcome, 'busy'> | 'locked';

export type DroppedPartition = Partition & PartitionContent & { outcome: ExpiredOutcome };

/** Drops expired partitions of the outbox after retaining the envelopes that may still be sent. */
@Injectable()
export class PartitionDropper {
  constructor(
    private readonly em: EntityManager,
    private readonly patience: LockPatience,
  ) {}

  /** A partition counts as one batch. A needed one does not count, so that it does not block the others. */
  async drop(
    { partitions, createdBeforeMs }: Pick<Expiry, 'partitions' | 'createdBeforeMs'>,
    { actor, maxBatches, signal }: PruneBounds,
  ): Promise<{ dropped: DroppedPartition[]; isComplete: boolean }> {
    const dropped: DroppedPartition[] = [];
    const count = () => dropped.filter(({ outcome }) => outcome !== 'needed').length;
    for (const partition of partitions) {
      if (count() >= maxBatches || signal?.aborted) {
        return { dropped, isComplete: false };
      }
      const content = await retainEnvelopes(engineDatabase(this.em, UPKEEP_STATEMENT_MS), partition);
      const outcome =
        content.pending > 0 ? 'needed' : await this.dropOne(partition, content, { createdBeforeMs, actor }, signal);
      dropped.push({ ...partition, outcome, ...content });
      if (outcome === 'locked') {
        return { dropped, isComplete: false };
      }
    }
    return { dropped, isComplete: true };
  }

  private async dropOne(
    { name, fromMs, toMs }: Partition,
    { events, retained }: PartitionContent,
    { createdBeforeMs, actor }: { createdBeforeMs: number; actor: string },
    signal?: AbortSignal,
  ): Promise<ExpiredOutcome> {
    const entry = ledgerEntry({
      kind: 'partition-dropped',
      actor,
      traceId: currentTraceId()!,
      detail: {
        partition: name,
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        events,
        retained,
      },
    });
    const outcome = await this.patience.try(
      () => dropPartition(engineDatabase(this.em, UPKEEP_STATEMENT_MS), name, createdBeforeMs, entry),
      signal,
    );
    return outcome ?? 'locked';
  }
}
