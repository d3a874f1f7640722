import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Outcome } from '../delivery/judge-attempt.js';
import { EventBusConfig } from '../eventbus.options.js';
import { WakeUp } from '../runtime/wake-up.js';
import { closeCircuit } from './close-circuit.sql.js';
import { openCircuit } from './open-circuit.sql.js';
import { prolongCircuit } from './prolong-circuit.sql.js';

/**
 * Opens an endpoint's circuit after so many failures in a row: its backlog then waits, at no attempt's cost, and only a probe
 * goes out from time to time. The first probe that the endpoint answers closes it.
 */
@Injectable()
export class CircuitBreaker {
  readonly #logger = new Logger(CircuitBreaker.name);
  readonly #failures = new Map<string, number>();

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly wakeUp: WakeUp,
  ) {}

  /** True when this outcome opened the circuit. */
  async hear(delivery: ClaimedDelivery, outcome: Outcome): Promise<boolean> {
    const { endpointId } = delivery;
    if (!saysDead(outcome)) {
      this.#failures.delete(endpointId);
      if (delivery.isProbe && (await closeCircuit(this.em.fork().getKysely(), endpointId))) {
        this.#logger.log({ msg: 'circuit closed', endpointId });
        this.wakeUp.nudge();
      }
      return false;
    }
    if (delivery.isProbe) {
      await prolongCircuit(this.em.fork().getKysely(), endpointId, this.config.circuit);
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
    const isOpened = await openCircuit(this.em.fork().getKysely(), delivery, this.config.circuit.probeMs);
    if (isOpened) {
      this.#logger.warn({ msg: 'circuit opened', endpointId, failures });
    }
    return isOpened;
  }
}

/** No answer at all, or one of a server that cannot: whoever answers 4xx, or refuses in other words, lives. */
function saysDead(outcome: Outcome): boolean {
  if (outcome.kind === 'delivered' || outcome.errorClass === 'refused') {
    return false;
  }
  return outcome.statusCode === null || outcome.statusCode >= 500;
}
