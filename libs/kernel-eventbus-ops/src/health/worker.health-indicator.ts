import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { countLiveWorkers, EventBusConfig } from '@kernel/eventbus/engine';
import type { SideNote } from './side-note.js';
import { withinTime } from './within-time.js';

/** Degraded if no worker has a fresh heartbeat: events are accepted but not delivered. */
@Injectable()
export class WorkerHealthIndicator {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async check(timeoutMs: number): Promise<SideNote> {
    const { silentMs } = this.config.heartbeat;
    const counted = await withinTime(countLiveWorkers(this.em.fork().getKysely(), silentMs), timeoutMs);
    if (counted === undefined) {
      return { status: 'degraded', message: 'the database did not say which workers live' };
    }
    const { live, silent } = counted;
    if (live === 0) {
      return { status: 'degraded', message: `no worker has given a sign of life for ${silentMs} ms`, live, silent };
    }
    return silent > 0
      ? { status: 'degraded', message: `${silent} fell silent, their leases are not free yet`, live, silent }
      : { status: 'up', live };
  }
}
