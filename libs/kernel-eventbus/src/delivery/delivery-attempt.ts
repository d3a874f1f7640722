import { Injectable, Logger } from '@nestjs/common';
import { CircuitBreaker } from '../circuit/circuit-breaker.js';
import { EndpointInvoker } from '../dispatch/endpoint-invoker.js';
import { Handover } from '../dispatch/handover.js';
import { EventBusConfig } from '../eventbus.options.js';
import { HandlerInvoker } from '../handlers/handler-invoker.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { Chance } from '../runtime/chance.js';
import { Clock } from '../runtime/clock.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { dispatchTelemetry } from '../telemetry/dispatch-telemetry.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { traceAttempt } from '../telemetry/spans.js';
import { backoffMs } from './backoff.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { GoneEndpoints } from './gone-endpoints.js';
import type { Outcome } from './judge-attempt.js';
import { SendGate } from './send-gate.js';
import { abandonDelivery, deferDelivery, settleAttempt, type AttemptFacts, type Settlement } from './settlement.js';

const GONE = 410;

/** A delivery whose worker died so often while it held nothing else is what kills them. */
const MAX_LONELY_DEATHS = 3;

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
    private readonly circuits: CircuitBreaker,
    private readonly clock: Clock,
    private readonly hooks: StageHooks,
    private readonly goneEndpoints: GoneEndpoints,
    private readonly observers: PipelineObservers,
  ) {}

  /** `written`: a promise of its row, which it does not wait for to be sent, but to be over. Without a row it has happened all the same. */
  async perform(delivery: ClaimedDelivery, signal: AbortSignal, written?: Promise<void>): Promise<Settlement> {
    const settlement = await traceAttempt(delivery, () => this.settle(delivery, signal)).finally(() =>
      written?.catch(() => undefined),
    );
    if (!signal.aborted) {
      this.observers.settled(settlement);
    }
    return settlement;
  }

  private async settle(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Settlement> {
    this.hooks.reached('claimed');
    if (delivery.isDeleted) {
      return abandonDelivery(delivery, 'endpoint_deleted');
    }
    if (delivery.lonelyDeaths >= MAX_LONELY_DEATHS) {
      return abandonDelivery(delivery, 'poison');
    }
    const { invocation, handoff } =
      delivery.dispatcher === HANDLER_DISPATCHER
        ? { invocation: await this.gate.pass(delivery, () => this.handlers.invoke(delivery)), handoff: null }
        : await this.dispatch(delivery, signal);
    if (invocation.kind === 'deferred') {
      const { errorClass, error } = invocation;
      this.#logger.error({ msg: 'delivery deferred', ...idsOf(delivery), errorClass, error });
      return deferDelivery(delivery, invocation, this.delayAfter(timesDeferred(delivery) + 1));
    }
    this.hooks.reached('sent');
    const { result, bodySha256, redaction } = invocation;
    return this.judge(delivery, result, signal, {
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
    return this.handover.perform(order, delivery.dispatcher, signal, (send) =>
      this.gate.pass(delivery, () => this.invoker.invoke(order, signal, send)),
    );
  }

  private async judge(
    delivery: ClaimedDelivery,
    result: Parameters<EventBusConfig['judge']>[0],
    signal: AbortSignal,
    facts: AttemptFacts,
  ): Promise<Settlement> {
    const attempt = delivery.attempts + 1;
    const outcome = this.config.judge(result, {
      attempt,
      retry: delivery.retry ? { ...this.config.retry, ...delivery.retry } : this.config.retry,
      fraction: this.chance.fraction(),
      now: this.clock.now(),
    });
    if (!signal.aborted) {
      await this.tellEndpoint(delivery, outcome);
    }
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

  private async tellEndpoint(delivery: ClaimedDelivery, outcome: Outcome): Promise<void> {
    if (outcome.kind !== 'delivered' && OUR_SIDE.has(outcome.errorClass)) {
      return;
    }
    if (await this.circuits.hear(delivery, outcome)) {
      // What waits here for the endpoint waits in the queue from now on, at no attempt's cost.
      this.gate.turnAway(delivery.endpointId);
    }
    if (outcome.statusCode === GONE) {
      await this.goneEndpoints.disable(delivery);
    }
  }

  private delayAfter(failures: number): number {
    return backoffMs(failures, this.config.retry, this.chance.fraction());
  }
}

/** Each time it was taken without an attempt that counts put it off once more. */
function timesDeferred({ leaseEpoch, attempts }: ClaimedDelivery): number {
  return Math.max(0, leaseEpoch - attempts - 1);
}

function idsOf({ deliveryId, eventId, endpointId, tenantId, type }: ClaimedDelivery) {
  return { deliveryId, eventId, endpointId, tenantId, type };
}
