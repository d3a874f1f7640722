import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '../audit/append-entries.sql.js';
import { ledgerEntry } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { wakeLanes } from '../lanes/wake-lanes.sql.js';
import type { Batch, ClaimedOperation, OperationScope } from '../operations/operation.js';
import type { CountBounds, OperationWork } from '../operations/operation-work.js';
import { countReplayable } from './count-replayable.sql.js';
import { lockLiveEndpoints } from './lock-live-endpoints.sql.js';
import { pickReplayable, type PickedDelivery } from './pick-replayable.sql.js';
import { requeueDeliveries } from './requeue-deliveries.sql.js';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Sends settled deliveries again, those of a filter or an endpoint's dead letters, in the order in which they were made. */
@Injectable()
export class BulkReplay implements OperationWork {
  constructor(private readonly config: EventBusConfig) {}

  count(em: EntityManager, scope: OperationScope, { limit }: CountBounds): Promise<number> {
    return countReplayable(em.getKysely(), scope, this.config.retention, limit);
  }

  async batch(trx: Kysely<unknown>, operation: ClaimedOperation, limit: number): Promise<Batch> {
    const afterId = operation.cursor?.id ?? FIRST_ID;
    const picked = await pickReplayable(trx, operation, this.config.retention, { afterId, limit });
    const done = picked.length > 0 ? await this.requeue(trx, operation, picked) : 0;
    const last = picked.at(-1);
    return { done, next: last && picked.length === limit ? { at: null, id: last.deliveryId } : null };
  }

  private async requeue(
    trx: Kysely<unknown>,
    operation: ClaimedOperation,
    picked: readonly PickedDelivery[],
  ): Promise<number> {
    const endpoints = await lockLiveEndpoints(trx, [...new Set(picked.map(({ endpointId }) => endpointId))]);
    const live = picked.filter(({ endpointId }) => endpoints.has(endpointId));
    await requeueDeliveries(
      trx,
      live.map(({ deliveryId, laneId, endpointId }) => ({
        deliveryId,
        isParked: laneId === null && !endpoints.get(endpointId)!.isEnabled,
      })),
    );
    const inLanes = live.filter(({ laneId }) => laneId !== null);
    if (inLanes.length > 0) {
      const laneIds = [...new Set(inLanes.map(({ laneId }) => laneId!))];
      await wakeLanes(
        trx,
        laneIds,
        inLanes.map(({ deliveryId }) => deliveryId),
      );
    }
    await appendEntries(
      trx,
      live.map((delivery) => replayEntry(operation, delivery)),
    );
    return live.length;
  }
}

/** KER-6e: each delivery has its own. */
function replayEntry({ operationId, actor, reason }: ClaimedOperation, delivery: PickedDelivery) {
  const { laneId: _, status, attempts, ...facts } = delivery;
  const detail = { operationId, previousStatus: status, previousAttempts: attempts };
  return ledgerEntry({ kind: 'replayed', actor, reason, ...facts, detail });
}
