import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { countLiveWorkers, EventBusConfig } from '@kernel/eventbus/engine';
import { withinTime } from './within-time.js';

/** Degraded if no worker has a fresh heartbeat: events are accepted but not delivered. */
@Injectable()
export class WorkerHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly indicators: HealthIndicatorService,
  ) {}

  async check<const Key extends string>(key: Key, timeoutMs: number): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.indicators.check(key);
    const { silentMs } = this.config.heartbeat;
    const counted = await withinTime(countLiveWorkers(this.em.fork().getKysely(), silentMs), timeoutMs);
    if (counted === undefined) {
      return indicator.degraded('the database did not say which workers live');
    }
    const { live, silent } = counted;
    if (live === 0) {
      return indicator.degraded({ message: `no worker has given a sign of life for ${silentMs} ms`, live, silent });
    }
    return silent > 0
      ? indicator.degraded({ message: `${silent} fell silent, their leases are not free yet`, live, silent })
      : indicator.up({ live });
  }
}
