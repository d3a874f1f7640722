import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.config.js';
import { engineDatabase, faultOf, IntervalJob } from '@kernel/runtime';
import { Pulse } from './liveness/pulse.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { type HeldLease, renewLeases } from '../deliveries/leases.sql.js';

const NAME = 'kernel-eventbus-leases';
/** Renewal rounds per lease time. */
const LOOKS_PER_LEASE = 4;
/**
 * After this many lease times the work counts as stuck: its lease may expire, and another worker claims it. Default: an
 * hour.
 */
const LONGEST_HOLD_LEASES = 60;

export interface Held extends HeldLease {
  kind: 'delivery' | 'lane';
  looks: number;
}

/**
 * Renews the leases of held deliveries and lanes. Most end long before their first renewal, so they cost nothing; a
 * process that hangs renews nothing.
 */
@Injectable()
export class LeaseKeeper {
  readonly #logger = new Logger(LeaseKeeper.name);
  readonly #held = new Set<Held>();
  readonly #job: IntervalJob;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.renew());
  }

  start(): void {
    this.#job.start(this.config.leaseMs / LOOKS_PER_LEASE);
    // Leases may have expired while the database was away. No worker takes them before this one had time to renew them.
    this.pulse.onRecovered(() => void this.renewAll());
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** Number of held deliveries and lanes. */
  count(): Record<Held['kind'], number> {
    const deliveries = [...this.#held].filter(({ kind }) => kind === 'delivery').length;
    return { delivery: deliveries, lane: this.#held.size - deliveries };
  }

  /** Renews the lease until `drop`. */
  hold(kind: Held['kind'], id: string, leaseEpoch: number): Held {
    const held = { kind, id, leaseEpoch, looks: 0 };
    this.#held.add(held);
    return held;
  }

  drop(held: Held): void {
    this.#held.delete(held);
  }

  /** Renews leases that were held before the last round. */
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
