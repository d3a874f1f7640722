import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '@kernel/ledger';
import { requeueDeliveries } from '../deliveries/dead-letters.sql.js';
import { EventBusConfig } from '../eventbus.config.js';
import type { Batch, ClaimedOperation, OperationScope } from './operations/operation.js';
import type { CountBounds, OperationWork } from './operations/operation-work.js';
import { lockLiveEndpoints } from './lock-live-endpoints.sql.js';
import { countReplayable, pickReplayable, type PickedDelivery } from './replayable.sql.js';
import { replayedEntry } from './replayed-entry.js';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Requeues finished deliveries in order of creation, by filter or all dead letters of an endpoint. */
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
    const requeued = await requeueDeliveries(
      trx,
      live.map(({ deliveryId }) => deliveryId),
      this.config.retention,
    );
    await appendEntries(
      trx,
      requeued.map((delivery) => replayedEntry(delivery, operation)),
    );
    return requeued.length;
  }
}
