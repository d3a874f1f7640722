import type { EventBusConfig } from '../eventbus.config.js';
import type { Pruning } from './batch-pruner.js';
import { lowestIdAt } from '../envelope/partition-range.js';
import type { Expiry } from './plan-partitions.js';
import { DEFAULT_PARTITION_START, pruneDefaultPartition, type DefaultPartitionPlace } from './partitions.sql.js';
import { pruneDeliveries, pruneLanes } from '../deliveries/pruning.sql.js';
import { pruneIdempotencyKeys } from '../outbox/idempotency-keys.sql.js';
import { pruneProcessedEvents } from '../dispatch/handlers/handlers.sql.js';

/** Rows per batch. */
const BATCH = 1_000;

/** Tables pruned row by row, in the order of their dependencies. */

export function ofLanes(): Pruning<{ lanes: number }, 'first'> {
  return {
    kind: 'lanes-pruned',
    start: 'first',
    batch: async (trx) => {
      const lanes = await pruneLanes(trx, BATCH);
      return { counts: { lanes }, next: lanes === BATCH ? 'first' : null };
    },
  };
}

export function ofIdempotencyKeys({ idempotency }: EventBusConfig): Pruning<{ keys: number }, 'first'> {
  return {
    kind: 'idempotency-keys-pruned',
    start: 'first',
    batch: async (trx) => {
      const keys = await pruneIdempotencyKeys(trx, idempotency.windowDays, BATCH);
      return { counts: { keys }, next: keys === BATCH ? 'first' : null };
    },
  };
}

export function ofDeliveries(
  { retention }: EventBusConfig,
  { deliveriesBeforeMs }: Expiry,
): Pruning<{ delivered: number; deadLetters: number; envelopes: number }, string> {
  const beforeId = lowestIdAt(deliveriesBeforeMs);
  return {
    kind: 'deliveries-pruned',
    start: lowestIdAt(0),
    batch: async (trx, afterId) => {
      const { lastId, ...counts } = await pruneDeliveries(trx, { afterId, beforeId, limit: BATCH, ...retention });
      return { counts, next: lastId };
    },
  };
}

export function ofDefaultPartition({ createdBeforeMs }: Expiry): Pruning<{ events: number }, DefaultPartitionPlace> {
  return {
    kind: 'events-pruned',
    start: DEFAULT_PARTITION_START,
    batch: async (trx, after) => {
      const { events, last } = await pruneDefaultPartition(trx, createdBeforeMs, after, BATCH);
      return { counts: { events }, next: last };
    },
  };
}

export function ofProcessedEvents(
  { retention: { processedDays } }: EventBusConfig,
  { processedBeforeMs }: Expiry,
  handler: string,
): Pruning<{ events: number }, string> {
  const beforeId = lowestIdAt(processedBeforeMs);
  return {
    kind: 'processed-events-pruned',
    detail: { handler },
    start: lowestIdAt(0),
    batch: async (trx, afterId) => {
      const request = { handler, afterId, beforeId, limit: BATCH, processedDays };
      const { lastId, pruned } = await pruneProcessedEvents(trx, request);
      return { counts: { events: pruned }, next: lastId };
    },
  };
}
