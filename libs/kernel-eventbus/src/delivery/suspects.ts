import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { Capabilities } from '../dispatch/capabilities.js';
import { EventBusConfig } from '../eventbus.options.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import { Pulse } from '../runtime/pulse.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { claimSuspects, suspectsWait, type SuspectClaim, type SuspectGroup } from './claim-suspects.sql.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Looking for suspects costs a query, and they are rare. A worker also lives this long before it takes any. */
const LOOK_EVERY_MS = 1_000;
const MAX_GROUP = 16;

/** Each resolves when the outcome is recorded. `asOf`: the count of changed endpoints from before the claim. */
export interface SuspectRunner {
  delivery(delivery: ClaimedDelivery, asOf: number): Promise<void>;
  lane(lane: ClaimedLane, asOf: number): Promise<void>;
  countChanges(): number;
}

/**
 * Tries what was in flight when a worker crashed, in small groups beside the normal work, one group at a time among all workers. A group
 * in which another worker crashes is tried again in halves, down to a single delivery.
 */
@Injectable()
export class Suspects {
  readonly #logger = new Logger(Suspects.name);
  #nextLook = performance.now() + LOOK_EVERY_MS;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    private readonly capabilities: Capabilities,
  ) {}

  /** Begins to try suspects if there are any, and does not wait for it. */
  tryBeside(run: SuspectRunner): void {
    if (this.#running || this.#isClosed || performance.now() < this.#nextLook) {
      return;
    }
    this.#running = this.tryAll(run)
      .catch((error: unknown) => this.#logger.error({ msg: 'suspects were not claimed', fault: faultOf(error) }))
      .finally(() => {
        this.#nextLook = performance.now() + LOOK_EVERY_MS;
        this.#running = undefined;
      });
  }

  /** No more are claimed. Resolves when the group under way has come through. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  private async tryAll(run: SuspectRunner): Promise<void> {
    while (!this.#isClosed && (await suspectsWait(engineDatabase(this.em), this.claim()))) {
      const asOf = run.countChanges();
      const { deliveries, lanes } = await this.claimGroup();
      if (deliveries.length + lanes.length === 0) {
        return;
      }
      await Promise.all([
        ...deliveries.map((one) => run.delivery(one, asOf)),
        ...lanes.map((one) => run.lane(one, asOf)),
      ]);
    }
  }

  private claimGroup(): Promise<SuspectGroup> {
    return engineDatabase(this.em)
      .transaction()
      .execute((trx) => claimSuspects(trx, this.claim()));
  }

  private claim(): SuspectClaim {
    return {
      leaseMs: this.config.leaseMs,
      takesExpired: this.pulse.mayTakeExpired,
      workerId: this.worker.id,
      probeMs: this.config.circuit.probeMs,
      // A quarter of the places: the others are for normal work.
      groupSize: Math.min(MAX_GROUP, Math.ceil(this.config.concurrency / 4)),
      sendable: this.capabilities.sendable,
    };
  }
}
