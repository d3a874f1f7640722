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

export interface RetentionRound {
  partitions: (PartitionContent & { name: string; outcome: ExpiredOutcome })[];
  deliveries: Omit<PrunedDeliveries, 'lastId'>;
  lanes: number;
  /** What handlers had processed and no longer need to know. */
  processedEvents: number;
  idempotencyKeys: number;
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

  async round(signal?: AbortSignal): Promise<RetentionRound> {
    return runWithTrace(newTraceId(), async () => {
      const { nowMs, partitions } = await listPartitions(this.em.fork().getKysely());
      const expiry = planExpiry(nowMs, partitions, this.config.retention);
      const round: RetentionRound = {
        partitions: await this.dropPartitions(expiry.partitions, expiry.createdBeforeMs, signal),
        lanes: await this.inBatches((db) => pruneLanes(db, BATCH), signal),
        idempotencyKeys: await this.inBatches(
          (db) => pruneIdempotencyKeys(db, this.config.idempotency.windowDays, BATCH),
          signal,
        ),
        deliveries: await this.pruneDeliveries(lowestIdAt(expiry.deliveriesBeforeMs), signal),
        processedEvents: await this.pruneProcessed(lowestIdAt(expiry.processedBeforeMs), signal),
      };
      this.#logger.log({ msg: 'retention round', ...round });
      return round;
    });
  }

  private async dropPartitions(expired: readonly Partition[], createdBeforeMs: number, signal?: AbortSignal) {
    const dropped: RetentionRound['partitions'] = [];
    for (const partition of expired) {
      const content = await retainEnvelopes(this.em.fork().getKysely(), partition);
      const outcome = content.pending > 0 ? 'needed' : await this.drop(partition, content, createdBeforeMs, signal);
      dropped.push({ name: partition.name, outcome, ...content });
      if (outcome === 'locked') {
        break;
      }
    }
    return dropped;
  }

  private async drop(
    { name, fromMs, toMs }: Partition,
    { events, retained }: PartitionContent,
    createdBeforeMs: number,
    signal?: AbortSignal,
  ): Promise<ExpiredOutcome> {
    const entry = ledgerEntry({
      kind: 'partition-dropped',
      actor: KERNEL_ACTOR,
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
      const count = await prune(this.em.fork().getKysely());
      pruned += count;
      isMore = count === BATCH;
    }
    return pruned;
  }

  /** Small batches with pauses, so that neither locks nor the write-ahead log are felt elsewhere. */
  private async pruneDeliveries(beforeId: string, signal?: AbortSignal): Promise<RetentionRound['deliveries']> {
    const total = { delivered: 0, deadLetters: 0, envelopes: 0 };
    for (let afterId: string | null = lowestIdAt(0); afterId && !signal?.aborted;) {
      const batch = await this.pruneBatch(afterId, beforeId);
      total.delivered += batch.delivered;
      total.deadLetters += batch.deadLetters;
      total.envelopes += batch.envelopes;
      afterId = batch.lastId;
      if (afterId) {
        await pause(signal);
      }
    }
    return total;
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

  private async pruneBatch(afterId: string, beforeId: string): Promise<PrunedDeliveries> {
    return this.em
      .fork()
      .getKysely()
      .transaction()
      .execute(async (trx) => {
        if (!(await takeTurn(trx))) {
          return { lastId: null, delivered: 0, deadLetters: 0, envelopes: 0 };
        }
        const order = { afterId, beforeId, limit: BATCH, ...this.config.retention };
        const { lastId, ...counts } = await pruneDeliveries(trx, order);
        if (counts.delivered + counts.deadLetters > 0) {
          const entry = {
            kind: 'deliveries-pruned',
            actor: KERNEL_ACTOR,
            traceId: currentTraceId()!,
            detail: counts,
          } as const;
          await appendEntries(trx, [ledgerEntry(entry)]);
        }
        return { lastId, ...counts };
      });
  }
}

async function pause(signal?: AbortSignal): Promise<void> {
  await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
}
