import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { EventBusConfig } from '../eventbus.config.js';
import { foreseeDefaultEvents, foreseeDeliveries, foreseePartition } from './foresee-pruning.sql.js';
import { listPartitions } from './partitions.sql.js';
import { lowestIdAt } from '../envelope/partition-range.js';
import { planExpiry } from './plan-partitions.js';

/** Computes the effect of a retention round without deleting anything. */
@Injectable()
export class RetentionForecast {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async make() {
    const db: Kysely<unknown> = this.em.fork().getKysely();
    const { retention } = this.config;
    const { nowMs, partitions: existing } = await listPartitions(db);
    const expiry = planExpiry(nowMs, existing, retention);
    const partitions = [];
    for (const partition of expiry.partitions) {
      const { young, ...content } = await foreseePartition(db, partition, expiry.createdBeforeMs);
      const outcome = content.pending + young > 0 ? ('needed' as const) : ('expired' as const);
      partitions.push({ ...partition, outcome, ...content });
    }
    const leaving = partitions.filter(({ outcome }) => outcome === 'expired');
    const beforeId = lowestIdAt(expiry.deliveriesBeforeMs);
    return {
      partitions,
      deliveries: await foreseeDeliveries(db, beforeId, retention, leaving),
      defaultEvents: await foreseeDefaultEvents(db, expiry.createdBeforeMs, beforeId, retention),
    };
  }
}
