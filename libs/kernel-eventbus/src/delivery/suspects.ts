import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { claimSuspectDelivery, claimSuspectLane, suspectsWait } from './claim-suspects.sql.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { ClaimedLane } from './lease-lanes.sql.js';

/** Looking for them costs a query, and they are rare. */
const LOOK_EVERY_MS = 1_000;
/** A worker that runs suspects does nothing else meanwhile, so it comes back to its other work after this. */
const ROUND_MS = 2_000;

export interface RunAlone {
  delivery(delivery: ClaimedDelivery): Promise<void>;
  lane(lane: ClaimedLane): Promise<void>;
}

/** What a worker held when it fell silent is run alone: then a second death tells which one it was. */
@Injectable()
export class Suspects {
  #nextLook = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
  ) {}

  async wait(): Promise<boolean> {
    if (performance.now() < this.#nextLook) {
      return false;
    }
    this.#nextLook = performance.now() + LOOK_EVERY_MS;
    return suspectsWait(this.em.fork().getKysely());
  }

  /** One after the other; whoever calls this holds nothing else. */
  async runAlone(run: RunAlone): Promise<void> {
    const claim = {
      leaseMs: this.config.leaseMs,
      workerId: this.worker.id,
      probeMs: this.config.circuit.probeMs,
    };
    const end = performance.now() + ROUND_MS;
    while (performance.now() < end) {
      const delivery = await claimSuspectDelivery(this.em.fork().getKysely(), claim);
      if (delivery) {
        await run.delivery(delivery);
        continue;
      }
      const lane = await claimSuspectLane(this.em.fork().getKysely(), claim);
      if (!lane) {
        return;
      }
      await run.lane(lane);
    }
  }
}
