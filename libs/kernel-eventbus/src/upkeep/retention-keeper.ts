import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { KERNEL_ACTOR } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { currentTraceId, newTraceId, runWithTrace } from '../runtime/trace-context.js';
import { BatchPruner, type PruneBounds, type Pruned } from './batch-pruner.js';
import { findHandlerNames } from './find-handler-names.sql.js';
import { listPartitions } from './list-partitions.sql.js';
import { PartitionDropper, type DroppedPartition } from './partition-dropper.js';
import { planExpiry, type Expiry } from './plan-partitions.js';
import type { PrunedDeliveries } from './prune-deliveries.sql.js';
import { ofDefaultPartition, ofDeliveries, ofIdempotencyKeys, ofLanes, ofProcessedEvents } from './prunings.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { UPKEEP_STATEMENT_MS } from '../runtime/engine-connection.js';

export interface RetentionOrder {
  /** Whom the ledger names. Default: the kernel, by its schedule. */
  actor?: string;
  /** Batches of each kind after which the round leaves the rest to the next one. Default: 5000. */
  maxBatches?: number;
}

export interface RetentionRound {
  partitions: DroppedPartition[];
  deliveries: Omit<PrunedDeliveries, 'lastId'>;
  /** Events of the default partition, which is never dropped. */
  defaultEvents: number;
  lanes: number;
  /** What handlers had processed and no longer need to know. */
  processedEvents: number;
  idempotencyKeys: number;
  /** False when there may be more: the outbox was locked, a limit was reached, or another process has its turn. */
  isComplete: boolean;
}

/** Some millions of rows of each kind: more than an hour brings, and a round that ends within it. */
const SCHEDULED_BATCHES = 5_000;

/** ADR-12, ADR-13: removes what is settled and old enough by the database's clock, and never what is not settled. */
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
    { actor = KERNEL_ACTOR, maxBatches = SCHEDULED_BATCHES }: RetentionOrder = {},
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
    // What they have removed no longer holds its event, and what is gone can no longer come to a handler.
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

  /** All handlers share the limit of their kind. */
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
