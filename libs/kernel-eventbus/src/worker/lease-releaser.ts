import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { engineDatabase, TransientRetry } from '@kernel/runtime';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { ClaimedLane } from '../deliveries/claims.sql.js';
import { parkDelivery, parkLane } from '../deliveries/parking.sql.js';
import {
  releaseDelivery,
  releaseEmptyLane,
  releaseLane,
  releaseLeases,
  releaseUnbegun,
} from '../deliveries/leases.sql.js';

/** Ends leases of this worker without an outcome. While the database is away, it tries again. */
@Injectable()
export class LeaseReleaser {
  constructor(
    private readonly em: EntityManager,
    private readonly worker: WorkerIdentity,
    private readonly retry: TransientRetry,
  ) {}

  park(delivery: ClaimedDelivery): Promise<void> {
    return this.retry.run('parked delivery', () => parkDelivery(this.database, delivery, this.worker.id));
  }

  /** If this fails, the lease expires. */
  release(delivery: ClaimedDelivery): Promise<void> {
    return this.retry
      .run('released delivery', () => releaseDelivery(this.database, delivery, this.worker.id))
      .catch(() => undefined);
  }

  /** Deliveries of a batch whose answer was lost. If this fails, their leases expire. */
  releaseUnbegun(deliveryIds: readonly string[]): Promise<void> {
    return this.retry
      .run('deliveries of a lost batch', () => releaseUnbegun(this.database, deliveryIds, this.worker.id))
      .catch(() => undefined);
  }

  parkLane(lane: ClaimedLane): Promise<void> {
    return this.retry.run('parked lane', () => parkLane(this.database, lane, this.worker.id));
  }

  releaseLane(lane: ClaimedLane): Promise<void> {
    return this.retry.run('released lane', () => releaseLane(this.database, lane, this.worker.id));
  }

  releaseEmptyLane(lane: ClaimedLane): Promise<void> {
    return this.retry.run('empty lane', () => releaseEmptyLane(this.database, lane, this.worker.id));
  }

  /** Everything that this worker holds, on shutdown. */
  releaseAll(): Promise<void> {
    return releaseLeases(this.database, this.worker.id);
  }

  private get database() {
    return engineDatabase(this.em);
  }
}
