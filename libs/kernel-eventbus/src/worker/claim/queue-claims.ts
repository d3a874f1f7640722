import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.config.js';
import { faultOf } from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';
import type { ClaimRunner } from './claim-runner.js';
import { Claimer } from './claimer.js';
import { QueueRotation } from './queue-rotation.js';
import { Slots, type Share } from '../slots.js';

/**
 * Decides when to claim from the queue. It holds retries and deliveries that no worker had room for when they were
 * routed.
 */
@Injectable()
export class QueueClaims {
  readonly #logger = new Logger(QueueClaims.name);
  #isClosed = false;
  /** Something is known to wait, or the queue has not been polled yet. */
  #mayWait = true;
  #nextPollAt = 0;
  /** The poll in progress beside the routing. */
  #beside: Promise<void> | undefined;
  readonly #rotations = newRotations();
  readonly #newcomerRotations = newRotations();

  constructor(
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly claimer: Claimer,
    private readonly slots: Slots,
  ) {}

  /** True if something is known to wait. */
  get isDue(): boolean {
    this.#mayWait ||= this.wakeUp.takeQueueTouched();
    return this.#mayWait;
  }

  noteWaiting(): void {
    this.#mayWait = true;
  }

  /** Begins no more claims. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no poll is in progress beside the routing. */
  async settled(): Promise<void> {
    await this.#beside;
  }

  /** Claims if something is known to wait. True if something was claimed. */
  async claimIfDue(most: number, runner: ClaimRunner): Promise<boolean> {
    if (!this.isDue) {
      return false;
    }
    await this.#beside;
    return this.claimUpTo(most, runner);
  }

  /** Polls the queue from time to time, without waiting for it: such a poll is expensive and finds little. */
  pollBeside(runner: ClaimRunner): void {
    if (!this.#beside && performance.now() >= this.#nextPollAt) {
      this.#beside = this.claimBeside(runner);
    }
  }

  /** For tenants without a place, after others took them all. */
  async claimForNewcomers(runner: ClaimRunner): Promise<void> {
    await this.claimBoth(() => this.slots.shareForNewcomers(), this.#newcomerRotations, runner);
  }

  /** Claims few, because routing fills the same places. If more wait, the next poll knows. */
  private async claimBeside(runner: ClaimRunner): Promise<void> {
    try {
      if (await this.claimUpTo(this.config.concurrency, runner)) {
        runner.lookAgain();
      }
    } catch (error) {
      this.#logger.error({ msg: 'claiming failed; trying again', fault: faultOf(error) });
    } finally {
      this.#beside = undefined;
    }
  }

  /** True if something was claimed. */
  private async claimUpTo(most: number, runner: ClaimRunner): Promise<boolean> {
    this.#nextPollAt = performance.now() + this.config.polling.minIntervalMs;
    this.#mayWait = false;
    const canClaim = Math.min(most, this.slots.free) > 0;
    try {
      const claimed = await this.claimBoth((taken) => this.slots.share(most - taken), this.#rotations, runner);
      this.#mayWait ||= claimed > 0 || !canClaim;
      return claimed > 0;
    } catch (error) {
      this.#mayWait = true;
      throw error;
    }
  }

  /** Returns the number of claimed deliveries and lanes. */
  private async claimBoth(
    shareAfter: (taken: number) => Share,
    rotations: Rotations,
    runner: ClaimRunner,
  ): Promise<number> {
    const asOf = runner.countChanges();
    const first = shareAfter(0);
    const deliveries = this.canClaim(first) ? await this.claimer.deliveries(first, rotations.deliveries) : [];
    deliveries.forEach((delivery) => void runner.delivery(delivery, asOf));
    const rest = shareAfter(deliveries.length);
    const lanes = this.canClaim(rest) ? await this.claimer.lanes(rest, rotations.lanes) : [];
    lanes.forEach((lane) => void runner.lane(lane, asOf));
    return deliveries.length + lanes.length;
  }

  private canClaim({ limit }: Share): boolean {
    return limit > 0 && !this.#isClosed;
  }
}

interface Rotations {
  deliveries: QueueRotation;
  lanes: QueueRotation;
}

function newRotations(): Rotations {
  return { deliveries: new QueueRotation(), lanes: new QueueRotation() };
}
