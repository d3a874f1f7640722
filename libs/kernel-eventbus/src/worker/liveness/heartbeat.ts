import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../../eventbus.config.js';
import { faultOf, engineDatabase, IntervalJob } from '@kernel/runtime';
import { beat, signOff } from './workers.sql.js';
import { Pulse } from './pulse.js';
import { WorkerIdentity } from '../../runtime/worker-identity.js';

const NAME = 'kernel-eventbus-heartbeat';
/** Time limit of a heartbeat, as a fraction of the silence after which a rescuer acts. */
const DEADLINE = 0.25;
/** A busy machine answers slowly, and reconnecting would take longer still. */
const MIN_DEADLINE_MS = 2_000;
/** Delay before the retry of a failed heartbeat, as a fraction of the interval. */
const RETRY = 0.1;

/**
 * Sends the worker's heartbeat every few seconds, from before the first lease is claimed until after the last is
 * released.
 */
@Injectable()
export class Heartbeat {
  readonly #logger = new Logger(Heartbeat.name);
  readonly #job: IntervalJob;
  #isStuck: () => boolean = () => false;
  #isHeldBack = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.round());
  }

  /** Heartbeats stop while `isStuck` returns true, so that another worker takes over. */
  async start(isStuck: () => boolean): Promise<void> {
    this.#isStuck = isStuck;
    await this.beat();
    this.#job.start(this.config.heartbeat.intervalMs);
  }

  async stop(): Promise<void> {
    await this.#job.stop();
    await signOff(this.database(), this.worker.id);
  }

  private async round(): Promise<void> {
    const isStuck = this.#isStuck();
    if (isStuck !== this.#isHeldBack) {
      this.#isHeldBack = isStuck;
      this.#logger[isStuck ? 'error' : 'warn']({
        msg: isStuck
          ? 'the search for work does not come back; no heartbeat until it does, so that others take over'
          : 'the search for work has come back; heartbeats go on',
      });
    }
    if (!isStuck && !(await this.beat())) {
      await delay(RETRY * this.config.heartbeat.intervalMs);
      await this.beat();
    }
  }

  private async beat(): Promise<boolean> {
    const sentAt = this.pulse.now();
    try {
      this.pulse.note(sentAt, await beat(this.database(), this.worker.id));
      return true;
    } catch (error) {
      this.#logger.warn({ msg: 'no heartbeat; nothing is sent if this goes on', fault: faultOf(error) });
      return false;
    }
  }

  private database() {
    return engineDatabase(this.em, Math.max(MIN_DEADLINE_MS, Math.ceil(DEADLINE * this.config.heartbeat.silentMs)));
  }
}
