import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { EventBusConfig } from '../eventbus.config.js';
import { faultOf, IntervalJob, engineDatabase } from '@kernel/runtime';
import { outcomeOf } from '../telemetry/outcome.js';
import { PipelineObservers, type PipelineObserver } from '../telemetry/pipeline-observers.js';
import { addLatencies } from './activity-counts.js';
import { ALL } from './activity-scope.js';
import { ActivitySums } from './activity-sums.js';
import { addActivity } from './activity.sql.js';
import { bucketOf } from './latency-histogram.js';

const NAME = 'kernel-eventbus-activity';

/**
 * Counts the activity of this process in memory and adds it to the sums in the database every few seconds, with one
 * statement, or none if nothing happened. A killed process loses the counts of its last seconds; the ledger still has
 * them.
 */
@Injectable()
export class ActivityRecorder implements PipelineObserver, OnApplicationBootstrap {
  readonly #logger = new Logger(ActivityRecorder.name);
  readonly #job: IntervalJob;
  #sums = new ActivitySums();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly observers: PipelineObservers,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.flush());
  }

  onApplicationBootstrap(): void {
    this.observers.add(this);
    this.#job.start(this.config.activityIntervalMs);
  }

  /** Call once nothing is in flight. */
  async stop(): Promise<void> {
    await this.#job.stop();
    await this.flush();
  }

  committed(events: readonly { tenantId: string }[]): void {
    events.forEach(({ tenantId }) => (this.#sums.of(tenantId, ALL).published += 1));
  }

  settled(record: AttemptRecord): void {
    const { delivery, attempt } = record;
    const outcome = outcomeOf(record);
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

  /** Counts that could not be written are kept for the next flush. */
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
