import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.config.js';
import { engineDatabase, faultOf, IntervalJob, isTransient } from '@kernel/runtime';
import { Pulse } from '../worker/liveness/pulse.js';
import { WakeUp } from '../runtime/wake-up.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { type Rescue, rescueLeases } from '../deliveries/rescue.sql.js';

const NAME = 'kernel-eventbus-rescuer';

/** Time limit of a rescue, as a fraction of the silence that it requires: a late one would use outdated heartbeats. */
const DEADLINE = 0.25;
const MIN_DEADLINE_MS = 2_000;

/**
 * Releases the leases of silent workers within seconds. Runs only while its own heartbeats succeed: after a database
 * outage all workers look silent, and live ones must have time to send a heartbeat first.
 */
@Injectable()
export class Rescuer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(Rescuer.name);
  readonly #job: IntervalJob;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly observers: PipelineObservers,
    private readonly pulse: Pulse,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#job.start(this.config.heartbeat.intervalMs);
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#job.stop();
  }

  async rescue(): Promise<Rescue[]> {
    const { silentMs } = this.config.heartbeat;
    const rescues = await rescueLeases(
      engineDatabase(this.em, Math.max(MIN_DEADLINE_MS, Math.ceil(DEADLINE * silentMs))),
      silentMs,
      { databaseBackMs: this.pulse.databaseBackMs },
    );
    for (const rescue of rescues) {
      this.#logger.warn({ msg: 'a worker fell silent; what it held is free again', ...rescue });
    }
    if (rescues.length > 0) {
      this.wakeUp.nudge();
      this.observers.workersLost(rescues.length);
    }
    return rescues;
  }

  private async round(): Promise<void> {
    if (!this.pulse.mayRescue) {
      return;
    }
    await this.rescue().catch((error: unknown) =>
      this.#logger[isTransient(error) ? 'warn' : 'error']({
        msg: 'rescue failed; trying again',
        fault: faultOf(error),
      }),
    );
  }
}
