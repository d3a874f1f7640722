import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedDelivery } from '../../deliveries/claimed-delivery.js';
import { EventBusConfig } from '../../eventbus.config.js';
import { engineDatabase, TransientRetry } from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';
import { closeCircuit, openCircuit, prolongCircuit } from '../../endpoints/circuits.sql.js';

/**
 * Opens an endpoint's circuit after `circuit.failures` failures in a row: its backlog then waits without using up
 * attempts, and only a probe is sent from time to time. The first probe that the endpoint answers closes it.
 */
@Injectable()
export class CircuitBreaker {
  readonly #logger = new Logger(CircuitBreaker.name);
  readonly #failures = new Map<string, number>();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
    private readonly retry: TransientRetry,
  ) {}

  /** The endpoint answered. A probe closes its circuit; this waits while the database is away. */
  async noteAlive({ endpointId, isProbe }: ClaimedDelivery): Promise<void> {
    this.#failures.delete(endpointId);
    if (isProbe && (await this.retry.run('closed circuit', () => closeCircuit(engineDatabase(this.em), endpointId)))) {
      this.#logger.log({ msg: 'circuit closed', endpointId });
      this.wakeUp.nudge();
    }
  }

  /** An attempt failed. True if that opened the circuit. */
  async noteDead(delivery: ClaimedDelivery): Promise<boolean> {
    if (delivery.isProbe) {
      await prolongCircuit(engineDatabase(this.em), delivery.endpointId, this.config.circuit);
      return false;
    }
    return this.count(delivery);
  }

  private async count(delivery: ClaimedDelivery): Promise<boolean> {
    const { endpointId } = delivery;
    const failures = (this.#failures.get(endpointId) ?? 0) + 1;
    this.#failures.set(endpointId, failures);
    if (failures < this.config.circuit.failures) {
      return false;
    }
    this.#failures.delete(endpointId);
    const isOpened = await openCircuit(engineDatabase(this.em), delivery, this.config.circuit.probeMs);
    if (isOpened) {
      this.#logger.warn({ msg: 'circuit opened', endpointId, failures });
    }
    return isOpened;
  }
}
