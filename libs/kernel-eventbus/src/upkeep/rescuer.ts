import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { WakeUp } from '../runtime/wake-up.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { forgetBatches } from './forget-batches.sql.js';
import { rescueLeases, type Rescue } from './rescue-leases.sql.js';

const NAME = 'kernel-eventbus-rescuer';

/** Frees the leases of workers that fell silent, so that what they held goes on within seconds. */
@Injectable()
export class Rescuer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(Rescuer.name);
  readonly #rounds: Rounds;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly observers: PipelineObservers,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#rounds.start(this.config.heartbeat.intervalMs);
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#rounds.stop();
  }

  async rescue(): Promise<Rescue[]> {
    const db = this.em.fork().getKysely<unknown>();
    const rescues = await rescueLeases(db, this.config.heartbeat.silentMs);
    for (const rescue of rescues) {
      this.#logger.warn({ msg: 'a worker fell silent; what it held is free again', ...rescue });
    }
    if (rescues.length > 0) {
      this.wakeUp.nudge();
      this.observers.workersLost(rescues.length);
    }
    await forgetBatches(db);
    return rescues;
  }

  private async round(): Promise<void> {
    await this.rescue().catch((error: unknown) => this.#logger.error({ msg: 'rescue failed', fault: faultOf(error) }));
  }
}
