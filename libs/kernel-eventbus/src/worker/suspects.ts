import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { Capabilities } from '../dispatch/capabilities.js';
import { EndpointCache } from '../endpoints/endpoint-cache.js';
import { EventBusConfig } from '../eventbus.config.js';
import { engineDatabase, faultOf } from '@kernel/runtime';
import { Pulse } from './liveness/pulse.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimRunner } from './claim/claim-runner.js';
import { claimSuspects, type SuspectClaim, type SuspectGroup, suspectsWait } from '../deliveries/suspects.sql.js';

/** A poll for suspects costs a query, and they are rare. A worker also runs this long before it takes any. */
const POLL_EVERY_MS = 1_000;
const MAX_GROUP = 16;

/**
 * Tries deliveries that were in flight when a worker crashed, in small groups beside the normal work, one group at a
 * time among all workers. A group in which another worker crashes is tried again in halves, down to a single delivery.
 */
@Injectable()
export class Suspects {
  readonly #logger = new Logger(Suspects.name);
  #nextPoll = performance.now() + POLL_EVERY_MS;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    private readonly capabilities: Capabilities,
    private readonly endpoints: EndpointCache,
  ) {}

  /** Begins to try suspects if there are any, without waiting for them. */
  tryBeside(runner: ClaimRunner): void {
    if (this.#running || this.#isClosed || performance.now() < this.#nextPoll) {
      return;
    }
    this.#running = this.tryAll(runner)
      .catch((error: unknown) => this.#logger.error({ msg: 'suspects were not claimed', fault: faultOf(error) }))
      .finally(() => {
        this.#nextPoll = performance.now() + POLL_EVERY_MS;
        this.#running = undefined;
      });
  }

  /** Claims no more. Resolves when the group in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  private async tryAll(runner: ClaimRunner): Promise<void> {
    while (!this.#isClosed && (await suspectsWait(engineDatabase(this.em), this.claim()))) {
      const asOf = runner.countChanges();
      const { deliveries, lanes } = await this.claimGroup();
      if (deliveries.length + lanes.length === 0) {
        return;
      }
      await Promise.all([
        ...deliveries.map((one) => runner.delivery(one, asOf)),
        ...lanes.map((one) => runner.lane(one, asOf)),
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
      endpoints: this.endpoints,
    };
  }
}
