import { Injectable, Logger } from '@nestjs/common';
import { CircuitBreaker } from './circuit/circuit-breaker.js';
import { faultOf } from '@kernel/runtime';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { idsOf, type ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { GoneEndpoints } from './gone-endpoints.js';
import type { Outcome } from '../judgement/judge-attempt.js';
import { SendGate } from './send-gate.js';

const GONE = 410;

/** Failures on our side of the network. They say nothing about the endpoint. */
const OUR_SIDE = new Set(['dispatcher', 'middleware', 'handler', 'handler_refused']);

/** Tells the circuit breaker how an endpoint answers, and disables endpoints that are gone. */
@Injectable()
export class EndpointHealth {
  readonly #logger = new Logger(EndpointHealth.name);

  constructor(
    private readonly circuits: CircuitBreaker,
    private readonly goneEndpoints: GoneEndpoints,
    private readonly gate: SendGate,
  ) {}

  /** An answer counts before its outcome is recorded, and even if that is refused. */
  async noteAnswer(delivery: ClaimedDelivery, outcome: Outcome): Promise<void> {
    if (outcome.kind !== 'delivered' && OUR_SIDE.has(outcome.errorClass)) {
      return;
    }
    try {
      if (!saysDead(outcome)) {
        await this.circuits.noteAlive(delivery);
      }
      if (outcome.statusCode === GONE) {
        await this.goneEndpoints.disable(delivery);
      }
    } catch (error) {
      this.logFault(delivery, error);
    }
  }

  /** A failure counts only after its outcome was recorded. */
  async noteRecorded({ delivery, attempt, status, errorClass, statusCode }: AttemptRecord): Promise<void> {
    if (!attempt || status === 'DELIVERED' || OUR_SIDE.has(errorClass!) || !saysDead({ errorClass, statusCode })) {
      return;
    }
    try {
      if (await this.circuits.noteDead(delivery)) {
        // Deliveries that wait here for the endpoint go back to the queue, without using up an attempt.
        this.gate.turnAway(delivery.endpointId);
      }
    } catch (error) {
      this.logFault(delivery, error);
    }
  }

  private logFault(delivery: ClaimedDelivery, error: unknown): void {
    this.#logger.error({ msg: 'the circuit was not told of an outcome', ...idsOf(delivery), fault: faultOf(error) });
  }
}

/** No answer, or a 5xx. An endpoint that answers 4xx, or refuses by other means, is alive. */
function saysDead(outcome: { kind?: string; errorClass?: string | null; statusCode: number | null }): boolean {
  if (outcome.kind === 'delivered' || outcome.errorClass === 'refused') {
    return false;
  }
  return outcome.statusCode === null || outcome.statusCode >= 500;
}
