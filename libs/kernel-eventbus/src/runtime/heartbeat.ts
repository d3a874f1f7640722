import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from './fault.js';
import { beat, signOff } from './beat.sql.js';
import { Rounds } from './rounds.js';
import { WorkerIdentity } from './worker-identity.js';

const NAME = 'kernel-eventbus-heartbeat';

/** Says every few seconds that this worker lives. It starts before the first lease is taken and ends after the last is given back. */
@Injectable()
export class Heartbeat {
  readonly #logger = new Logger(Heartbeat.name);
  readonly #rounds: Rounds;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.beat());
  }

  async start(): Promise<void> {
    await this.beat();
    this.#rounds.start(this.config.heartbeat.intervalMs);
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    await signOff(this.em.fork().getKysely(), this.worker.id);
  }

  private async beat(): Promise<void> {
    await beat(this.em.fork().getKysely(), this.worker.id).catch((error: unknown) =>
      this.#logger.warn({ msg: 'no heartbeat; leases will be freed if this goes on', fault: faultOf(error) }),
    );
  }
}
