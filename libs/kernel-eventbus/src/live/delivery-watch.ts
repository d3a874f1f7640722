import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { planByIndexes } from '../activity/plan-by-indexes.js';
import { Clock } from '../runtime/clock.js';
import { lowestIdAt } from '../upkeep/partition-range.js';
import { findChanges, type ChangedDelivery } from './find-changes.sql.js';

/** What is written late, or by a process whose clock is behind, is still seen. */
const LOOK_BACK_MS = 10_000;
const MOST_CHANGES = 500;

/** Finds what has changed since the last look, whoever changed it. Reads all tenants: who may see what is up to the caller. */
@Injectable()
export class DeliveryWatch {
  /** As they were shown last; whatever is not in here has not been looked at for as long as a look goes back. */
  #known = new Map<string, string>();

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** The latest change first. */
  async look(): Promise<ChangedDelivery[]> {
    const sinceId = lowestIdAt(this.clock.now().getTime() - LOOK_BACK_MS);
    const found = await planByIndexes(this.em.fork(), (db) => findChanges(db, { sinceId, limit: MOST_CHANGES }));
    const changed = found.filter(({ deliveryId, updatedAt }) => this.#known.get(deliveryId) !== updatedAt);
    this.#known = new Map(found.map(({ deliveryId, updatedAt }) => [deliveryId, updatedAt]));
    return changed;
  }
}
