import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.options.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import { Pulse } from '../runtime/pulse.js';
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
    private readonly pulse: Pulse,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.renew());
  }

  start(): void {
    this.#rounds.start(this.config.leaseMs / LOOKS_PER_LEASE);
    // Leases may have run out while the database was away. Nobody takes them before this worker had time to renew them.
    this.pulse.onRecovered(() => void this.renewAll());
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
  async during<T>(kind: Held['kind'], id: string, leaseEpoch: number, work: () => Promise<T>): Promise<T> {
    const held = { kind, id, leaseEpoch, looks: 0 };
    this.#held.add(held);
    try {
      return await work();
    } finally {
      this.#held.delete(held);
    }
  }

  /** Prolongs what is held since before the last look. */
  async renew(): Promise<void> {
    const due = [...this.#held].filter((held) => {
      held.looks++;
      return held.looks > 1 && held.looks <= LONGEST_HOLD_LEASES * LOOKS_PER_LEASE;
    });
    await this.prolong(due);
  }

  async renewAll(): Promise<void> {
    await this.prolong([...this.#held]);
  }

  private async prolong(due: readonly Held[]): Promise<void> {
    if (due.length === 0) {
      return;
    }
    await renewLeases(engineDatabase(this.em), {
      deliveries: due.filter(({ kind }) => kind === 'delivery'),
      lanes: due.filter(({ kind }) => kind === 'lane'),
      workerId: this.worker.id,
      leaseMs: this.config.leaseMs,
    }).catch((error: unknown) =>
      this.#logger.warn({ msg: 'leases were not renewed; trying again', fault: faultOf(error) }),
    );
  }
}
