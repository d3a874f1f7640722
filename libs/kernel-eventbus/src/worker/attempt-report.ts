import { Injectable, Logger } from '@nestjs/common';
import type { DeferredInvocation } from '../dispatch/invocation.js';
import { EventBusConfig } from '../eventbus.config.js';
import { Clock, faultOf, logLine } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import { dispatchTelemetry } from '../telemetry/dispatch-telemetry.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import type { AttemptFacts } from './conclude-attempt.js';
import { idsOf, type ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { Outcome } from '../judgement/judge-attempt.js';

/** Reports the stages of an attempt: hooks, observers and one wide log line per attempt. */
@Injectable()
export class AttemptReport {
  readonly #logger = new Logger('DeliveryAttempt');

  constructor(
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
    private readonly hooks: StageHooks,
    private readonly observers: PipelineObservers,
  ) {}

  claimed(): void {
    this.hooks.reached('claimed');
  }

  sent(): void {
    this.hooks.reached('sent');
  }

  judged(delivery: ClaimedDelivery, outcome: Outcome, facts: AttemptFacts): void {
    const attempt = delivery.attempts + 1;
    const { deliveryId, eventId, endpointId, tenantId, type } = delivery;
    const line = logLine({
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
      latencyMs: facts.latencyMs,
      errorClass: outcome.kind === 'delivered' ? undefined : outcome.errorClass,
      telemetry: dispatchTelemetry(delivery, {
        isSuccess: outcome.kind === 'delivered',
        attempt,
        duplicateDetected: delivery.replayCount > 0,
        now: this.clock.now(),
        attributeNames: this.config.telemetryAttributes,
      }),
    });
    this.#logger[outcome.kind === 'dead-letter' ? 'warn' : 'log'](line);
    this.hooks.reached('judged');
  }

  deferred(delivery: ClaimedDelivery, { errorClass, error }: DeferredInvocation): void {
    this.#logger.error({ msg: 'delivery deferred', ...idsOf(delivery), errorClass, error });
  }

  ended(record: AttemptRecord): void {
    this.observers.settled(record);
  }

  notRecorded({ deliveryId }: ClaimedDelivery, error: unknown): void {
    this.#logger.error({ msg: 'delivery was not recorded', deliveryId, fault: faultOf(error) });
  }
}
