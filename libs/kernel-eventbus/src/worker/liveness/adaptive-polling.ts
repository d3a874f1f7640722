import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../../eventbus.config.js';
import { Random, faultOf } from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';

const GROWTH = 1.5;
const JITTER = 0.2;

/**
 * ADR-1: polls at once when nudged and while there is work, otherwise at intervals that grow from the minimum to the
 * maximum, with jitter. Scheduled polls are the guarantee; a nudge only makes them earlier.
 */
@Injectable()
export class AdaptivePolling {
  readonly #logger = new Logger(AdaptivePolling.name);
  #name = '';
  #look: () => Promise<boolean> = () => Promise.resolve(false);
  #running: Promise<void> | undefined;
  #isNudged = false;
  #isStopped = true;
  #intervalMs = 0;
  #lookBegan: number | undefined;
  #unsubscribe: () => void = () => undefined;
  /** A nudge arrives in the async context of a request; the polls that it triggers must not run in it. */
  #outsideRequests: <T>(work: () => T) => T = (work) => work();

  constructor(
    private readonly scheduler: SchedulerRegistry,
    private readonly wakeUp: WakeUp,
    private readonly random: Random,
    private readonly config: EventBusConfig,
  ) {}

  /** `look` returns true if there may be more work. */
  start(name: string, look: () => Promise<boolean>): void {
    this.#name = name;
    this.#look = look;
    this.#isStopped = false;
    this.#outsideRequests = AsyncLocalStorage.snapshot();
    this.#unsubscribe = this.wakeUp.onNudge(() => this.#outsideRequests(() => this.run()));
    this.run();
  }

  /** Polls now instead of at the scheduled time. */
  lookAgain(): void {
    this.#intervalMs = this.config.polling.minIntervalMs;
    this.#outsideRequests(() => this.run());
  }

  /** Duration of the running poll; 0 if none runs. */
  get lookMs(): number {
    return this.#lookBegan === undefined ? 0 : performance.now() - this.#lookBegan;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.unschedule();
    await this.#running;
  }

  private run(): void {
    if (this.#isStopped) {
      return;
    }
    this.#isNudged = true;
    this.#running ??= this.lookUntilIdle().finally(() => {
      this.#running = undefined;
      // A nudge may arrive between the last poll and this moment.
      if (this.#isNudged) {
        this.run();
      } else {
        this.schedule();
      }
    });
  }

  private async lookUntilIdle(): Promise<void> {
    this.unschedule();
    while (this.#isNudged && !this.#isStopped) {
      this.#isNudged = false;
      if (await this.lookOnce()) {
        this.#isNudged = true;
        this.#intervalMs = this.config.polling.minIntervalMs;
      }
    }
  }

  private async lookOnce(): Promise<boolean> {
    this.#lookBegan = performance.now();
    try {
      return await this.#look();
    } catch (error) {
      this.#logger.error({ msg: 'looking for work failed; trying again', fault: faultOf(error) });
      return false;
    } finally {
      this.#lookBegan = undefined;
    }
  }

  private schedule(): void {
    if (this.#isStopped) {
      return;
    }
    const { minIntervalMs, maxIntervalMs } = this.config.polling;
    const pauseMs = Math.max(this.#intervalMs, minIntervalMs);
    this.#intervalMs = Math.min(pauseMs * GROWTH, maxIntervalMs);
    const timeout = setTimeout(
      () => this.run(),
      Math.min(pauseMs * (1 + JITTER * this.random.fraction()), maxIntervalMs),
    );
    this.scheduler.addTimeout(this.#name, timeout);
  }

  private unschedule(): void {
    if (this.scheduler.doesExist('timeout', this.#name)) {
      this.scheduler.deleteTimeout(this.#name);
    }
  }
}
