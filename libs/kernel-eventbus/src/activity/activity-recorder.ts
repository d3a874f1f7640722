import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Settlement } from '../delivery/settlement.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { outcomeOf } from '../telemetry/outcome.js';
import { PipelineObservers, type PipelineObserver } from '../telemetry/pipeline-observers.js';
import { addLatencies } from './activity-counts.js';
import { ALL } from './activity-scope.js';
import { ActivitySums } from './activity-sums.js';
import { addActivity } from './add-activity.sql.js';
import { bucketOf } from './latency-histogram.js';
import { engineDatabase } from '../runtime/engine-database.js';

const NAME = 'kernel-eventbus-activity';

/**
 * Counts in memory what this process does, and adds it to the database's sums every few seconds: one statement for all of it,
 * none while nothing happens. A process that is killed takes the counts of its last seconds with it; the ledger has them.
 */
@Injectable()
export class ActivityRecorder implements PipelineObserver, OnApplicationBootstrap {
  readonly #logger = new Logger(ActivityRecorder.name);
  readonly #rounds: Rounds;
  #sums = new ActivitySums();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly observers: PipelineObservers,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.flush());
  }

  onApplicationBootstrap(): void {
    this.observers.add(this);
    this.#rounds.start(this.config.activityIntervalMs);
  }

  /** To be called when nothing is in flight any more. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.flush();
  }

  committed(events: readonly { tenantId: string }[]): void {
    events.forEach(({ tenantId }) => (this.#sums.of(tenantId, ALL).published += 1));
  }

  settled(settlement: Settlement): void {
    const { delivery, attempt } = settlement;
    const outcome = outcomeOf(settlement);
    if (outcome === 'deferred') {
      return;
    }
    const sum = this.#sums.of(delivery.tenantId, delivery.endpointId);
    if (outcome === 'delivered') {
      sum.delivered += 1;
      addLatencies(sum, bucketOf(attempt?.latencyMs ?? 0), 1);
    } else {
      sum.failedAttempts += attempt ? 1 : 0;
      sum.deadLettered += outcome === 'dead_letter' ? 1 : 0;
    }
  }

  /** What the database does not take is added next time. */
  private async flush(): Promise<void> {
    if (this.#sums.isEmpty) {
      return;
    }
    const sums = this.#sums;
    this.#sums = new ActivitySums();
    try {
      await addActivity(engineDatabase(this.em), sums.rolledUp());
    } catch (error) {
      this.#sums.add(sums);
      this.#logger.warn({ msg: 'activity was not added up; trying again', fault: faultOf(error) });
    }
  }
}
