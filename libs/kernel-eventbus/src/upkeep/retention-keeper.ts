import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR, ledgerEntry } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { currentTraceId, newTraceId, runWithTrace } from '../runtime/trace-context.js';
import { dropPartition, type DropOutcome } from './drop-partition.sql.js';
import { findHandlerNames } from './find-handler-names.sql.js';
import { listPartitions } from './list-partitions.sql.js';
import { LockPatience } from './lock-patience.js';
import { lowestIdAt, type Partition } from './partition-range.js';
import { planExpiry } from './plan-partitions.js';
import { pruneDeliveries, type PrunedDeliveries } from './prune-deliveries.sql.js';
import { pruneIdempotencyKeys } from './prune-idempotency-keys.sql.js';
import { pruneLanes } from './prune-lanes.sql.js';
import { pruneProcessedEvents, type PrunedProcessed } from './prune-processed-events.sql.js';
import { retainEnvelopes, type PartitionContent } from './retain-envelopes.sql.js';
import { takeTurn } from './take-turn.sql.js';

export interface RetentionOrder {
  /** Whom the ledger names. Default: the kernel, by its schedule. */
  actor?: string;
  /** Batches of deliveries after which the round ends, finished or not. Default: no limit. */
  maxBatches?: number;
}

export interface RetentionRound {
  partitions: (Partition & PartitionContent & { outcome: ExpiredOutcome })[];
  deliveries: Omit<PrunedDeliveries, 'lastId'>;
  lanes: number;
  /** What handlers had processed and no longer need to know. */
  processedEvents: number;
  idempotencyKeys: number;
  /** False when there may be more: the outbox was locked, the limit was reached, or another process has its turn. */
  isComplete: boolean;
}

/** `locked`: the outbox was in use for too long; the next round tries again. */
type ExpiredOutcome = Exclude<DropOutcome, 'busy'> | 'locked';

const BATCH = 1_000;
const PAUSE_MS = 100;

/** ADR-12, ADR-13: removes what is settled and old enough by the database's clock, and never what is not settled. */
@Injectable()
export class RetentionKeeper {
  readonly #logger = new Logger(RetentionKeeper.name);

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly patience: LockPatience,
  ) {}

  async round(
    signal?: AbortSignal,
    { actor = KERNEL_ACTOR, maxBatches }: RetentionOrder = {},
  ): Promise<RetentionRound> {
    return runWithTrace(currentTraceId() ?? newTraceId(), async () => {
      const { nowMs, partitions } = await listPartitions(this.em.fork().getKysely());
      const expiry = planExpiry(nowMs, partitions, this.config.retention);
      const dropped = await this.dropPartitions(expiry.partitions, expiry.createdBeforeMs, actor, signal);
      const lanes = await this.inBatches((db) => this.pruneLanes(db, actor), signal);
      const { windowDays } = this.config.idempotency;
      const idempotencyKeys = await this.inBatches((db) => pruneIdempotencyKeys(db, windowDays, BATCH), signal);
      const beforeId = lowestIdAt(expiry.deliveriesBeforeMs);
      const { isComplete, ...deliveries } = await this.pruneDeliveries(beforeId, actor, maxBatches, signal);
      const processedEvents = await this.pruneProcessed(lowestIdAt(expiry.processedBeforeMs), signal);
      const isUnlocked = dropped.every(({ outcome }) => outcome !== 'locked');
      const pruned = { lanes, idempotencyKeys, deliveries, processedEvents };
      const round = { partitions: dropped, ...pruned, isComplete: isComplete && isUnlocked };
      this.#logger.log({ msg: 'retention round', actor, ...round });
      return round;
    });
  }

  private async dropPartitions(
    expired: readonly Partition[],
    createdBeforeMs: number,
    actor: string,
    signal?: AbortSignal,
  ) {
    const dropped: RetentionRound['partitions'] = [];
    for (const partition of expired) {
      const content = await retainEnvelopes(this.em.fork().getKysely(), partition);
      const outcome =
        content.pending > 0 ? 'needed' : await this.drop(partition, content, { createdBeforeMs, actor }, signal);
      dropped.push({ ...partition, outcome, ...content });
      if (outcome === 'locked') {
        break;
      }
    }
    return dropped;
  }

  private async drop(
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
      () => dropPartition(this.em.fork().getKysely(), name, createdBeforeMs, entry),
      signal,
    );
    return outcome ?? 'locked';
  }

  private async inBatches(prune: (db: Kysely<unknown>) => Promise<number>, signal?: AbortSignal): Promise<number> {
    let pruned = 0;
    for (let isMore = true; isMore && !signal?.aborted;) {
      const count = await this.em.fork().transactional((em) => prune(em.getKysely()));
      pruned += count;
      isMore = count === BATCH;
    }
    return pruned;
  }

  /** Small batches with pauses, so that neither locks nor the write-ahead log are felt elsewhere. */
  private async pruneDeliveries(beforeId: string, actor: string, maxBatches = Infinity, signal?: AbortSignal) {
    const total = { delivered: 0, deadLetters: 0, envelopes: 0 };
    let afterId: string | null = lowestIdAt(0);
    for (let batches = 0; afterId && batches < maxBatches && !signal?.aborted; batches++) {
      const batch: PrunedDeliveries | 'busy' = await this.pruneBatch(afterId, beforeId, actor);
      if (batch === 'busy') {
        break;
      }
      total.delivered += batch.delivered;
      total.deadLetters += batch.deadLetters;
      total.envelopes += batch.envelopes;
      afterId = batch.lastId;
      if (afterId) {
        await pause(signal);
      }
    }
    return { ...total, isComplete: afterId === null };
  }

  private async pruneProcessed(beforeId: string, signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (const handler of await findHandlerNames(this.em.fork().getKysely())) {
      for (let afterId: string | null = lowestIdAt(0); afterId && !signal?.aborted;) {
        const batch = await this.pruneProcessedBatch(handler, afterId, beforeId);
        total += batch.pruned;
        afterId = batch.lastId;
        if (afterId) {
          await pause(signal);
        }
      }
    }
    return total;
  }

  private pruneProcessedBatch(handler: string, afterId: string, beforeId: string): Promise<PrunedProcessed> {
    const { processedDays } = this.config.retention;
    return this.em
      .fork()
      .getKysely()
      .transaction()
      .execute(async (trx) =>
        (await takeTurn(trx))
          ? pruneProcessedEvents(trx, { handler, afterId, beforeId, limit: BATCH, processedDays })
          : { lastId: null, pruned: 0 },
      );
  }

  private pruneBatch(afterId: string, beforeId: string, actor: string): Promise<PrunedDeliveries | 'busy'> {
    return this.em.fork().transactional(async (em) => {
      const trx: Kysely<unknown> = em.getKysely();
      if (!(await takeTurn(trx))) {
        return 'busy';
      }
      const order = { afterId, beforeId, limit: BATCH, ...this.config.retention };
      const { lastId, ...counts } = await pruneDeliveries(trx, order);
      await this.note(trx, 'deliveries-pruned', actor, counts);
      return { lastId, ...counts };
    });
  }

  /** What was removed, if anything. */
  private async note(
    trx: Kysely<unknown>,
    kind: 'deliveries-pruned' | 'lanes-pruned',
    actor: string,
    detail: Record<string, number>,
  ): Promise<void> {
    if (Object.values(detail).some((count) => count > 0)) {
      await appendEntries(trx, [ledgerEntry({ kind, actor, traceId: currentTraceId()!, detail })]);
    }
  }

  private async pruneLanes(trx: Kysely<unknown>, actor: string): Promise<number> {
    const lanes = await pruneLanes(trx, BATCH);
    await this.note(trx, 'lanes-pruned', actor, { lanes });
    return lanes;
  }
}

async function pause(signal?: AbortSignal): Promise<void> {
  await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
}
