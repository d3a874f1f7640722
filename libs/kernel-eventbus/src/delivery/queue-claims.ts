import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Capabilities } from '../dispatch/capabilities.js';
import type { EventBusConfig } from '../eventbus.options.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import type { Pulse } from '../runtime/pulse.js';
import type { WakeUp } from '../runtime/wake-up.js';
import type { WorkerIdentity } from '../runtime/worker-identity.js';
import { claimDeliveries } from './claim-deliveries.sql.js';
import { claimLanes } from './claim-lanes.sql.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { QueueRotation } from './queue-rotation.js';
import type { Share, Slots } from './slots.js';

/** What is done with what was claimed. `asOf`: the count of changed endpoints from before the claim. */
export interface ClaimUser {
  delivery(delivery: ClaimedDelivery, asOf: number): void;
  lane(lane: ClaimedLane, asOf: number): void;
  countChanges(): number;
  lookAgain(): void;
}

/** Takes deliveries and lanes out of the queue, which holds retries and what no worker had room for when it was routed. */
export class QueueClaims {
  readonly #logger = new Logger(QueueClaims.name);
  #isClosed = false;
  /** Something is known to wait, or nobody has looked yet. */
  #mayWait = true;
  #nextLookAt = 0;
  /** The look that is under way beside the routing. */
  #beside: Promise<void> | undefined;
  readonly #rotations = newRotations();
  readonly #newcomerRotations = newRotations();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    private readonly wakeUp: WakeUp,
    private readonly slots: Slots,
    private readonly capabilities: Capabilities,
    private readonly user: ClaimUser,
  ) {}

  /** Whether something is known to wait. */
  get isDue(): boolean {
    this.#mayWait ||= this.wakeUp.takeQueueTouched();
    return this.#mayWait;
  }

  noteWaiting(): void {
    this.#mayWait = true;
  }

  /** No more claims are begun. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no look is under way beside the routing. */
  async settled(): Promise<void> {
    await this.#beside;
  }

  /**
   * What is known to wait is claimed here and now. Otherwise the queue is looked at from time to time, beside the routing: that is
   * dear, finds little, and no event on its way should wait for it. True when something was claimed here.
   */
  async claimIfDue(most: number): Promise<boolean> {
    if (this.isDue) {
      await this.#beside;
      return this.claimUpTo(most);
    }
    if (!this.#beside && performance.now() >= this.#nextLookAt) {
      this.#beside = this.claimBeside();
    }
    return false;
  }

  /** Few, because what is routed meanwhile is given the same places. If there are more, the next look knows that they wait. */
  private async claimBeside(): Promise<void> {
    try {
      if (await this.claimUpTo(this.config.concurrency)) {
        this.user.lookAgain();
      }
    } catch (error) {
      this.#logger.error({ msg: 'claiming failed; trying again', fault: faultOf(error) });
    } finally {
      this.#beside = undefined;
    }
  }

  /** True when there was something. */
  private async claimUpTo(most: number): Promise<boolean> {
    this.#nextLookAt = performance.now() + this.config.polling.minIntervalMs;
    this.#mayWait = false;
    const canLook = Math.min(most, this.slots.free) > 0;
    try {
      const claimed = await this.claimBoth((taken) => this.slots.share(most - taken), this.#rotations);
      this.#mayWait ||= claimed > 0 || !canLook;
      return claimed > 0;
    } catch (error) {
      this.#mayWait = true;
      throw error;
    }
  }

  /** For tenants that hold no place, when there are none left for others. */
  async claimForNewcomers(): Promise<void> {
    await this.claimBoth(() => this.slots.shareForNewcomers(), this.#newcomerRotations);
  }

  /** Returns how many deliveries and lanes were claimed. */
  private async claimBoth(shareAfter: (taken: number) => Share, rotations: Rotations): Promise<number> {
    const asOf = this.user.countChanges();
    const deliveries = await this.claim(claimDeliveries, shareAfter(0), rotations.deliveries);
    deliveries.forEach((delivery) => this.user.delivery(delivery, asOf));
    const lanes = await this.claim(claimLanes, shareAfter(deliveries.length), rotations.lanes);
    lanes.forEach((lane) => this.user.lane(lane, asOf));
    return deliveries.length + lanes.length;
  }

  private async claim<T>(
    claimWith: (db: ReturnType<EntityManager['getKysely']>, claim: Claim) => Promise<T[]>,
    share: Share,
    rotation: QueueRotation,
  ): Promise<T[]> {
    if (share.limit <= 0 || this.#isClosed) {
      return [];
    }
    return claimWith(engineDatabase(this.em), {
      ...share,
      takesExpired: this.pulse.mayTakeExpired,
      leaseMs: this.config.leaseMs,
      workerId: this.worker.id,
      probeMs: this.config.circuit.probeMs,
      perEndpoint: this.config.perEndpointConcurrency,
      prefetch: this.slots.limits.prefetch,
      held: this.slots.held(),
      rotation,
      canSend: (endpoint) => this.capabilities.canSend(endpoint),
    });
  }
}

interface Rotations {
  deliveries: QueueRotation;
  lanes: QueueRotation;
}

function newRotations(): Rotations {
  return { deliveries: new QueueRotation(), lanes: new QueueRotation() };
}
