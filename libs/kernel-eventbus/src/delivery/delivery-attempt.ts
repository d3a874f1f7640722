import { Injectable, Logger } from '@nestjs/common';
import { CircuitBreaker } from '../circuit/circuit-breaker.js';
import { EndpointInvoker, type InvocationResult } from '../dispatch/endpoint-invoker.js';
import { Handover } from '../dispatch/handover.js';
import { HTTP_DISPATCHER } from '../dispatch/http-dispatcher.js';
import { EventBusConfig } from '../eventbus.options.js';
import { HandlerInvoker } from '../handlers/handler-invoker.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { Chance } from '../runtime/chance.js';
import { Clock } from '../runtime/clock.js';
import { faultOf } from '../runtime/fault.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { dispatchTelemetry } from '../telemetry/dispatch-telemetry.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { traceAttempt } from '../telemetry/spans.js';
import { backoffMs } from './backoff.js';
import { boundDelay } from './bound-delay.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { GoneEndpoints } from './gone-endpoints.js';
import { InFlightList } from './in-flight-list.js';
import type { Outcome } from './judge-attempt.js';
import { SendGate } from './send-gate.js';
import { abandonDelivery, deferDelivery, settleAttempt, type AttemptFacts, type Settlement } from './settlement.js';

const GONE = 410;

/** So many crashes in a row with this as the only suspect in flight: it is what kills the workers. */
const MAX_SOLO_CRASHES = 3;

/** Failures on our side of the network: they say nothing of whether the endpoint lives. */
const OUR_SIDE = new Set(['dispatcher', 'middleware', 'handler', 'handler_refused']);

/** One attempt: hand over to a dispatcher, wait for the endpoint's invocation, judge. The recorder writes what it returns. */
@Injectable()
export class DeliveryAttempt {
  readonly #logger = new Logger(DeliveryAttempt.name);

  constructor(
    private readonly handover: Handover,
    private readonly invoker: EndpointInvoker,
    private readonly handlers: HandlerInvoker,
    private readonly config: EventBusConfig,
    private readonly chance: Chance,
    private readonly gate: SendGate,
    private readonly inFlight: InFlightList,
    private readonly circuits: CircuitBreaker,
    private readonly clock: Clock,
    private readonly hooks: StageHooks,
    private readonly goneEndpoints: GoneEndpoints,
    private readonly observers: PipelineObservers,
  ) {}

  /**
   * Ends after `written`, the promise of the delivery's row; without a row the attempt has happened all the same. An attempt that was
   * aborted without an answer is a `DeliveryReleasedError`; an answer counts, whatever was aborted.
   */
  async perform(delivery: ClaimedDelivery, signal: AbortSignal, written?: Promise<void>): Promise<Settlement> {
    const settlement = await traceAttempt(delivery, () => this.settle(delivery, signal)).finally(() =>
      written?.catch(() => undefined),
    );
    this.observers.settled(settlement);
    return settlement;
  }

  private async settle(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Settlement> {
    this.hooks.reached('claimed');
    if (delivery.isDeleted) {
      return abandonDelivery(delivery, 'endpoint_deleted');
    }
    if (delivery.soloCrashes >= MAX_SOLO_CRASHES) {
      return abandonDelivery(delivery, 'poison');
    }
    const { invocation, handoff } =
      delivery.dispatcher === HANDLER_DISPATCHER
        ? { invocation: await this.begin(delivery, () => this.handlers.invoke(delivery)), handoff: null }
        : await this.dispatch(delivery, signal);
    if (signal.aborted && (invocation.kind === 'deferred' || invocation.result.kind === 'failure')) {
      throw new DeliveryReleasedError(abortedAttempt(delivery, invocation, handoff));
    }
    if (invocation.kind === 'deferred') {
      const { errorClass, error } = invocation;
      this.#logger.error({ msg: 'delivery deferred', ...idsOf(delivery), errorClass, error });
      return deferDelivery(delivery, invocation, this.delayAfter(timesDeferred(delivery) + 1));
    }
    this.hooks.reached('sent');
    const { result, bodySha256, redaction } = invocation;
    return this.judge(delivery, result, {
      bodySha256,
      redaction,
      handoff,
      latencyMs: result.latencyMs,
      responseExcerpt: result.kind === 'response' ? result.bodyExcerpt : null,
    });
  }

  private dispatch(delivery: ClaimedDelivery, signal: AbortSignal) {
    const timeoutMs = delivery.timeoutMs ?? this.config.timeoutMs;
    const order = { ...delivery, attempt: delivery.attempts + 1, timeoutMs };
    const hand = () =>
      this.handover.perform(order, delivery.dispatcher, signal, (send) =>
        this.begin(delivery, () => this.invoker.invoke(order, signal, send)),
      );
    // A dispatcher of the host gets the delivery before it has a place, and may crash with it.
    const isHosts = (delivery.dispatcher ?? this.config.defaultDispatcher) !== HTTP_DISPATCHER;
    return isHosts ? this.inFlight.begin(delivery.deliveryId, hand) : hand();
  }

  /** Waits for a place, then for the announcement. */
  private begin<T>(delivery: ClaimedDelivery, send: () => Promise<T>): Promise<T> {
    return this.gate.pass(delivery, () => this.inFlight.begin(delivery.deliveryId, send));
  }

  private async judge(
    delivery: ClaimedDelivery,
    result: Parameters<EventBusConfig['judge']>[0],
    facts: AttemptFacts,
  ): Promise<Settlement> {
    const attempt = delivery.attempts + 1;
    const retry = delivery.retry ? { ...this.config.retry, ...delivery.retry } : this.config.retry;
    const fraction = this.chance.fraction();
    const outcome = boundDelay(this.config.judge(result, { attempt, retry, fraction, now: this.clock.now() }), () =>
      backoffMs(attempt, retry, fraction),
    );
    await this.noteAnswer(delivery, outcome);
    const { deliveryId, eventId, endpointId, tenantId, type } = delivery;
    this.#logger[outcome.kind === 'dead-letter' ? 'warn' : 'log']({
      msg: 'delivery attempt',
      deliveryId,
      eventId,
      endpointId,
      tenantId,
      type,
      attempt,
      dispatcher: facts.handoff?.dispatcher,
      handoff: facts.handoff?.status,
      outcome: outcome.kind,
      statusCode: outcome.statusCode,
      latencyMs: result.latencyMs,
      errorClass: outcome.kind === 'delivered' ? undefined : outcome.errorClass,
      telemetry: dispatchTelemetry(delivery, {
        isSuccess: outcome.kind === 'delivered',
        attempt,
        duplicateDetected: delivery.replayCount > 0,
        now: this.clock.now(),
        attributeNames: this.config.telemetryAttributes,
      }),
    });
    this.hooks.reached('judged');
    return settleAttempt(delivery, outcome, facts);
  }

  /** An answer counts, whatever becomes of the outcome. */
  private async noteAnswer(delivery: ClaimedDelivery, outcome: Outcome): Promise<void> {
    if (outcome.kind !== 'delivered' && OUR_SIDE.has(outcome.errorClass)) {
      return;
    }
    await this.tell(delivery, async () => {
      if (!saysDead(outcome)) {
        await this.circuits.noteAlive(delivery);
      }
      if (outcome.statusCode === GONE) {
        await this.goneEndpoints.disable(delivery);
      }
    });
  }

  /**
   * After the outcome was recorded. A refused one says nothing of the endpoint: the worker may have been frozen, and another one has
   * delivered meanwhile. It would open a circuit that nothing is left to probe.
   */
  async noteRecorded(settlement: Settlement): Promise<void> {
    const { delivery, attempt, status, errorClass, statusCode } = settlement;
    if (!attempt || status === 'DELIVERED' || OUR_SIDE.has(errorClass!) || !saysDead({ errorClass, statusCode })) {
      return;
    }
    await this.tell(delivery, async () => {
      if (await this.circuits.noteDead(delivery)) {
        // What waits here for the endpoint waits in the queue from now on, at no attempt's cost.
        this.gate.turnAway(delivery.endpointId);
      }
    });
  }

  private async tell(delivery: ClaimedDelivery, tell: () => Promise<void>): Promise<void> {
    await tell().catch((error: unknown) =>
      this.#logger.error({ msg: 'the circuit was not told of an outcome', ...idsOf(delivery), fault: faultOf(error) }),
    );
  }

  private delayAfter(failures: number): number {
    return backoffMs(failures, this.config.retry, this.chance.fraction());
  }
}

/** Undefined: nothing was sent. */
function abortedAttempt(
  delivery: ClaimedDelivery,
  invocation: InvocationResult,
  handoff: AttemptFacts['handoff'],
): Settlement | undefined {
  if (invocation.kind === 'deferred' || invocation.bodySha256 === null) {
    return undefined;
  }
  const { result, bodySha256, redaction } = invocation;
  const error = 'aborted: the endpoint was deleted or disabled, or the worker stopped';
  const outcome = { kind: 'retry', delayMs: 0, errorClass: 'aborted', error, statusCode: null } as const;
  const { latencyMs } = result;
  return settleAttempt(delivery, outcome, { bodySha256, redaction, handoff, latencyMs, responseExcerpt: null });
}

/** No answer, or a 5xx. An endpoint that answers 4xx, or refuses in other words, is alive. */
function saysDead(outcome: { kind?: string; errorClass?: string | null; statusCode: number | null }): boolean {
  if (outcome.kind === 'delivered' || outcome.errorClass === 'refused') {
    return false;
  }
  return outcome.statusCode === null || outcome.statusCode >= 500;
}

/** Each time it was taken without an attempt that counts put it off once more. */
function timesDeferred({ leaseEpoch, attempts }: ClaimedDelivery): number {
  return Math.max(0, leaseEpoch - attempts - 1);
}

function idsOf({ deliveryId, eventId, endpointId, tenantId, type }: ClaimedDelivery) {
  return { deliveryId, eventId, endpointId, tenantId, type };
}
