import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { InvocationResult } from '../dispatch/endpoint-invoker.js';
import type { OutgoingResult } from '../outgoing/outgoing-http.js';
import { firstLine } from '../runtime/fault.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import type { HandledEvent } from './event-handler.decorator.js';
import { HandlerRefusedError } from './handler-refused.error.js';
import { HandlerRegistry, type RegisteredHandler } from './handler-registry.js';
import { markProcessed } from './mark-processed.sql.js';

/** What a handler's success looks like to the judge, who knows answers of endpoints. */
const DONE = 200;

/** Runs a handler in a transaction together with the record that it has processed the event. */
@Injectable()
export class HandlerInvoker {
  constructor(
    private readonly em: EntityManager,
    private readonly registry: HandlerRegistry,
    private readonly hooks: StageHooks,
  ) {}

  async invoke(delivery: ClaimedDelivery): Promise<InvocationResult> {
    const handler = this.registry.find(delivery.endpointId);
    if (!handler) {
      // Another process has it, or will have it after the deployment that is under way.
      return { kind: 'deferred', errorClass: 'handler_unavailable', error: 'this process has no such handler' };
    }
    const redaction = { policyId: null, policyVersion: null, removedPaths: null };
    const result = await this.run(handler, delivery);
    return { kind: 'invoked', result, bodySha256: null, redaction };
  }

  private async run(handler: RegisteredHandler, delivery: ClaimedDelivery): Promise<OutgoingResult> {
    this.hooks.reached('prepared');
    const startedAt = performance.now();
    const latencyMs = () => Math.round(performance.now() - startedAt);
    try {
      await this.em.fork().transactional(async (em) => {
        if (await markProcessed(em.getKysely(), handler.name, delivery.eventId)) {
          await handler.run(toHandledEvent(delivery), em);
        }
      });
      return { kind: 'response', statusCode: DONE, headers: {}, bodyExcerpt: '', latencyMs: latencyMs() };
    } catch (error) {
      const errorClass = error instanceof HandlerRefusedError ? 'handler_refused' : 'handler';
      return { kind: 'failure', errorClass, message: firstLine(error), latencyMs: latencyMs() };
    }
  }
}

function toHandledEvent(delivery: ClaimedDelivery): HandledEvent {
  const { eventId, tenantId, streamKey, type, traceId, actorId, deliveryId } = delivery;
  return {
    eventId,
    tenantId,
    streamKey,
    type,
    traceId,
    occurredAt: new Date(delivery.occurredAt).toISOString(),
    ...(actorId && { actorId }),
    payload: JSON.parse(delivery.payloadJson) as Record<string, unknown>,
    deliveryId,
    attempt: delivery.attempts + 1,
  };
}
