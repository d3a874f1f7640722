import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { BuiltInDispatcher, EngineHandoff } from '../built-in-dispatcher.js';
import { InProcessTransport, NO_REDACTION, type InvocationRequest, type InvocationResult } from '../invocation.js';
import type { HandoffResult } from '../webhook-dispatcher.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { faultOf, firstLine, logLine } from '@kernel/runtime';
import { StageHooks } from '../../runtime/stage-hooks.js';
import type { HandledEvent } from './event-handler.decorator.js';
import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import { HandlerRefusedError } from './handler-refused.error.js';
import { HandlerRegistry, type RegisteredHandler } from './handler-registry.js';
import { markProcessed } from './handlers.sql.js';

/** A handler's success, as the judge knows it of endpoints. */
const DONE = 200;

/** Runs the application's handlers, each in a transaction with the record that it processed the event. */
@Injectable()
export class HandlerDispatcher extends InProcessTransport implements BuiltInDispatcher {
  readonly name = HANDLER_DISPATCHER;
  readonly isReserved = true;
  readonly #logger = new Logger(HandlerDispatcher.name);
  #endpointIds: ReadonlySet<string> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly registry: HandlerRegistry,
    private readonly hooks: StageHooks,
  ) {
    super();
  }

  get endpointIds(): ReadonlySet<string> {
    return (this.#endpointIds ??= new Set(this.registry.all.map(({ endpointId }) => endpointId)));
  }

  async dispatch(handoff: EngineHandoff): Promise<HandoffResult> {
    await handoff.invoke(this);
    return { status: 'accepted' };
  }

  async process(event: InvocationRequest): Promise<InvocationResult> {
    const handler = this.registry.find(event.endpointId);
    if (!handler) {
      // Another process has it, or will have it after the deployment in progress.
      return { kind: 'deferred', errorClass: 'handler_unavailable', error: 'this process has no such handler' };
    }
    const result = await this.run(handler, event);
    return { kind: 'invoked', result, bodySha256: null, redaction: NO_REDACTION };
  }

  private async run(handler: RegisteredHandler, event: InvocationRequest): Promise<OutgoingResult> {
    this.hooks.reached('prepared');
    const startedAt = performance.now();
    const latencyMs = () => Math.round(performance.now() - startedAt);
    try {
      await this.em.fork().transactional(async (em) => {
        if (await markProcessed(em.getKysely(), handler.name, event.eventId)) {
          await handler.run(toHandledEvent(event), em);
        }
      });
      return { kind: 'response', statusCode: DONE, headers: {}, bodyExcerpt: '', latencyMs: latencyMs() };
    } catch (error) {
      const { eventId, type, tenantId, deliveryId, attempts } = event;
      const ids = { handler: handler.name, type, eventId, tenantId, deliveryId, attempt: attempts + 1 };
      this.#logger.error(logLine({ msg: 'handler failed', ...ids, fault: faultOf(error) }));
      const errorClass = error instanceof HandlerRefusedError ? 'handler_refused' : 'handler';
      return { kind: 'failure', errorClass, message: firstLine(error), latencyMs: latencyMs() };
    }
  }
}

function toHandledEvent(event: InvocationRequest): HandledEvent {
  const { eventId, tenantId, streamKey, type, traceId, actorId, deliveryId, attempts } = event;
  return {
    eventId,
    tenantId,
    streamKey,
    type,
    traceId,
    occurredAt: new Date(event.occurredAt).toISOString(),
    ...(actorId && { actorId }),
    payload: JSON.parse(event.payloadJson) as Record<string, unknown>,
    deliveryId,
    attempt: attempts + 1,
  };
}
