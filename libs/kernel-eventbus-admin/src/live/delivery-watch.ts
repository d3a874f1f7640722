import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { planByIndexes } from '../activity/plan-by-indexes.js';
import { Clock } from '@kernel/runtime';
import { lowestIdAt } from '@kernel/eventbus/engine';
import { findChanges, type ChangedDelivery } from './find-changes.sql.js';

/** Overlap between polls, for late commits and processes whose clock is behind. */
const LOOK_BACK_MS = 10_000;
const MAX_CHANGES = 500;

/** Finds deliveries changed since the last poll, by any process. Reads all tenants; the caller applies visibility. */
@Injectable()
export class DeliveryWatch {
  /** `updatedAt` by delivery id, for deliveries within the overlap. */
  #known = new Map<string, string>();

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Latest change first. */
  async look(): Promise<ChangedDelivery[]> {
    const sinceId = lowestIdAt(this.clock.now().getTime() - LOOK_BACK_MS);
    const found = await planByIndexes(this.em.fork(), (db) => findChanges(db, { sinceId, limit: MAX_CHANGES }));
    const changed = found.filter(({ deliveryId, updatedAt }) => this.#known.get(deliveryId) !== updatedAt);
    this.#known = new Map(found.map(({ deliveryId, updatedAt }) => [deliveryId, updatedAt]));
    return changed;
  }
}
