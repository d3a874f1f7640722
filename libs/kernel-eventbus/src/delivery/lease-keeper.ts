import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { renewLeases, type HeldLease } from './renew-leases.sql.js';

const NAME = 'kernel-eventbus-leases';
/** A lease is looked at this often before it runs out. */
const LOOKS_PER_LEASE = 4;
/** What is held for so long is lost in here: then its lease may run out, and another worker has a try. An hour by default. */
const LONGEST_HOLD_LEASES = 60;

interface Held extends HeldLease {
  kind: 'delivery' | 'lane';
  looks: number;
}

/**
 * Prolongs the leases of what waits here for its turn, or for the one before it in its lane. Most is settled long before the
 * first look, so that it costs nothing; and a process that hangs prolongs nothing.
 */
@Injectable()
export class LeaseKeeper {
  readonly #logger = new Logger(LeaseKeeper.name);
  readonly #held = new Set<Held>();
  readonly #rounds: Rounds;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.renew());
  }

  start(): void {
    this.#rounds.start(this.config.leaseMs / LOOKS_PER_LEASE);
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** How much this worker holds, by kind. */
  count(): Record<Held['kind'], number> {
    const deliveries = [...this.#held].filter(({ kind }) => kind === 'delivery').length;
    return { delivery: deliveries, lane: this.#held.size - deliveries };
  }

  /** Does the work under a lease that is prolonged meanwhile. */
  async during(kind: Held['kind'], id: string, leaseEpoch: number, work: () => Promise<void>): Promise<void> {
    const held = { kind, id, leaseEpoch, looks: 0 };
    this.#held.add(held);
    try {
      await work();
    } finally {
      this.#held.delete(held);
    }
  }

  private async renew(): Promise<void> {
    const due = [...this.#held].filter((held) => {
      held.looks++;
      return held.looks > 1 && held.looks <= LONGEST_HOLD_LEASES * LOOKS_PER_LEASE;
    });
    if (due.length === 0) {
      return;
    }
    await renewLeases(this.em.fork().getKysely(), {
      deliveries: due.filter(({ kind }) => kind === 'delivery'),
      lanes: due.filter(({ kind }) => kind === 'lane'),
      workerId: this.worker.id,
      leaseMs: this.config.leaseMs,
    }).catch((error: unknown) =>
      this.#logger.warn({ msg: 'leases were not renewed; trying again', fault: faultOf(error) }),
    );
  }
}
