import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { WakeUp } from '../runtime/wake-up.js';
import { rescueLeases, type Rescue } from './rescue-leases.sql.js';

const NAME = 'kernel-eventbus-rescuer';

/** Frees the leases of workers that fell silent, so that what they held goes on within seconds. */
@Injectable()
export class Rescuer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(Rescuer.name);

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly scheduler: SchedulerRegistry,
    private readonly wakeUp: WakeUp,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      const round = () =>
        void this.rescue().catch((error: unknown) =>
          this.#logger.error({ msg: 'rescue failed', fault: faultOf(error) }),
        );
      this.scheduler.addInterval(NAME, setInterval(round, this.config.heartbeat.intervalMs));
    }
  }

  beforeApplicationShutdown(): void {
    if (this.scheduler.doesExist('interval', NAME)) {
      this.scheduler.deleteInterval(NAME);
    }
  }

  async rescue(): Promise<Rescue[]> {
    const rescues = await rescueLeases(this.em.fork().getKysely(), this.config.heartbeat.silentMs);
    for (const rescue of rescues) {
      this.#logger.warn({ msg: 'a worker fell silent; what it held is free again', ...rescue });
    }
    if (rescues.length > 0) {
      this.wakeUp.nudge();
    }
    return rescues;
  }
}
