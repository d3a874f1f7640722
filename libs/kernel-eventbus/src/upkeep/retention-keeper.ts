import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { KERNEL_ACTOR } from '@kernel/ledger';
import { EventBusConfig } from '../eventbus.config.js';
import { currentTraceId, newTraceId, runWithTrace } from '../trace/trace-context.js';
import { BatchPruner, type PruneBounds, type Pruned } from './batch-pruner.js';
import { findHandlerNames } from '../dispatch/handlers/handlers.sql.js';
import { listPartitions } from './partitions.sql.js';
import { PartitionDropper, type DroppedPartition } from './partition-dropper.js';
import { planExpiry, type Expiry } from './plan-partitions.js';
import type { PrunedDeliveries } from '../deliveries/pruning.sql.js';
import { ofDefaultPartition, ofDeliveries, ofIdempotencyKeys, ofLanes, ofProcessedEvents } from './prunings.js';
import { engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';

export interface RetentionRequest {
  /** Actor in the ledger. Default: the kernel, by its schedule. */
  actor?: string;
  /** Maximum number of batches per kind; the next round continues. Default: 5000. */
  maxBatches?: number;
}

export interface RetentionRound {
  partitions: DroppedPartition[];
  deliveries: Omit<PrunedDeliveries, 'lastId'>;
  /** Events of the default partition, which is never dropped. */
  defaultEvents: number;
  lanes: number;
  /** Records of events processed by handlers. */
  processedEvents: number;
  idempotencyKeys: number;
  /**
   * False if there may be more: the outbox was locked, a limit was reached, or another process holds the upkeep lock.
   */
  isComplete: boolean;
}

/** Several million rows per kind: more than an hour produces, and few enough for the round to end within it. */
const SCHEDULED_BATCHES = 5_000;

/** ADR-12, ADR-13: removes finished data past its retention, by the database's clock. Never removes unfinished data. */
@Injectable()
export class RetentionKeeper {
  readonly #logger = new Logger(RetentionKeeper.name);

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly partitions: PartitionDropper,
    private readonly pruner: BatchPruner,
  ) {}

  async round(
    signal?: AbortSignal,
    { actor = KERNEL_ACTOR, maxBatches = SCHEDULED_BATCHES }: RetentionRequest = {},
  ): Promise<RetentionRound> {
    return runWithTrace(currentTraceId() ?? newTraceId(), async () => {
      const round = await this.remove({ actor, maxBatches, signal });
      this.#logger.log({ msg: 'retention round', actor, ...round });
      return round;
    });
  }

  private async remove(bounds: PruneBounds): Promise<RetentionRound> {
    const { config, pruner } = this;
    const { nowMs, partitions: existing } = await listPartitions(engineDatabase(this.em, UPKEEP_STATEMENT_MS));
    const expiry = planExpiry(nowMs, existing, config.retention);
    const partitions = await this.partitions.drop(expiry, bounds);
    const lanes = await pruner.prune(ofLanes(), { lanes: 0 }, bounds);
    const keys = await pruner.prune(ofIdempotencyKeys(config), { keys: 0 }, bounds);
    const none = { delivered: 0, deadLetters: 0, envelopes: 0 };
    const deliveries = await pruner.prune(ofDeliveries(config, expiry), none, bounds);
    // After the deliveries: those removed no longer hold their events, and removed events can no longer reach a
    // handler.
    const events = await pruner.prune(ofDefaultPartition(expiry), { events: 0 }, bounds);
    const processed = await this.pruneProcessed(expiry, bounds);
    return {
      partitions: partitions.dropped,
      lanes: lanes.counts.lanes,
      idempotencyKeys: keys.counts.keys,
      deliveries: deliveries.counts,
      defaultEvents: events.counts.events,
      processedEvents: processed.counts.events,
      isComplete: [partitions, lanes, keys, deliveries, events, processed].every(({ isComplete }) => isComplete),
    };
  }

  /** All handlers share one limit. */
  private async pruneProcessed(expiry: Expiry, bounds: PruneBounds): Promise<Pruned<{ events: number }>> {
    const total = { counts: { events: 0 }, batches: 0, isComplete: true };
    for (const handler of await findHandlerNames(engineDatabase(this.em, UPKEEP_STATEMENT_MS))) {
      const maxBatches = bounds.maxBatches - total.batches;
      const pruning = ofProcessedEvents(this.config, expiry, handler);
      const pruned = await this.pruner.prune(pruning, { events: 0 }, { ...bounds, maxBatches });
      total.counts.events += pruned.counts.events;
      total.batches += pruned.batches;
      total.isComplete &&= pruned.isComplete;
    }
    return total;
  }
}
