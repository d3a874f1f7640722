import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ActivityPruner } from '../activity/activity-pruner.js';
import { EventBusConfig } from '../eventbus.config.js';
import { faultOf, Random } from '@kernel/runtime';
import { PartitionKeeper } from './partition-keeper.js';
import { RetentionKeeper } from './retention-keeper.js';

const JITTER = 0.2;
const FIRST_PAUSE_MS = 60_000;

interface Duty {
  round(signal: AbortSignal): Promise<unknown>;
}

/** Creates partitions before the app is ready, in every role. Workers then run all upkeep periodically. */
@Injectable()
export class UpkeepSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(UpkeepSchedule.name);
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #names = new Set<string>();

  constructor(
    private readonly scheduler: SchedulerRegistry,
    private readonly random: Random,
    private readonly config: EventBusConfig,
    private readonly partitions: PartitionKeeper,
    private readonly retention: RetentionKeeper,
    private readonly activity: ActivityPruner,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.run('kernel-eventbus-partitions', this.partitions);
    if (this.config.role !== 'api') {
      this.schedule('kernel-eventbus-partitions', this.partitions, this.config.upkeepIntervalMs);
      // Early, so that processes that live less than an hour run it too.
      const soonMs = Math.min(FIRST_PAUSE_MS, this.config.upkeepIntervalMs);
      this.schedule('kernel-eventbus-retention', this.retention, soonMs);
      this.schedule('kernel-eventbus-activity-pruning', this.activity, soonMs);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    this.#names.forEach((name) => this.unschedule(name));
    await Promise.all(this.#running);
  }

  private schedule(name: string, duty: Duty, pauseMs: number): void {
    const next = setTimeout(
      () => void this.runAndReschedule(name, duty),
      pauseMs * (1 + JITTER * this.random.fraction()),
    );
    this.unschedule(name);
    this.scheduler.addTimeout(name, next);
    this.#names.add(name);
  }

  private async runAndReschedule(name: string, duty: Duty): Promise<void> {
    await this.run(name, duty);
    if (!this.#stop.signal.aborted) {
      this.schedule(name, duty, this.config.upkeepIntervalMs);
    }
  }

  /** A failed round is logged and retried at the next interval. */
  private async run(name: string, duty: Duty): Promise<void> {
    const running = duty
      .round(this.#stop.signal)
      .catch((error: unknown) =>
        this.#logger.error({ msg: 'upkeep failed; trying again later', name, fault: faultOf(error) }),
      )
      .then(() => undefined);
    this.#running.add(running);
    await running;
    this.#running.delete(running);
  }

  private unschedule(name: string): void {
    if (this.scheduler.doesExist('timeout', name)) {
      this.scheduler.deleteTimeout(name);
    }
  }
}
