import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { EventBusConfig } from '../eventbus.options.js';
import { findOldestDue } from './find-oldest-due.sql.js';
import { withinTime } from './within-time.js';

/** Degraded when something has been due for too long: an event to be routed, or a delivery to an endpoint that is not known to be dead. */
@Injectable()
export class BacklogHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly indicators: HealthIndicatorService,
  ) {}

  async check<const Key extends string>(key: Key, timeoutMs: number): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.indicators.check(key);
    const oldest = await withinTime(findOldestDue(this.em.fork().getKysely()), timeoutMs);
    if (!oldest) {
      return indicator.degraded('the database did not say what is due');
    }
    const { maxDueAgeMs } = this.config.health;
    const late = Object.entries(oldest).filter(([, ageMs]) => ageMs > maxDueAgeMs);
    return late.length > 0
      ? indicator.degraded({
          message: `due for more than ${maxDueAgeMs} ms: ${late.map(([what]) => what).join(', ')}`,
          ...oldest,
        })
      : indicator.up({ ...oldest });
  }
}
