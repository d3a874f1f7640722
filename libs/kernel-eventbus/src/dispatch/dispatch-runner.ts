import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import { DispatchCoordinator, type CoordinatedHandoff } from './dispatch-coordinator.js';
import { failedBefore } from './endpoint-invoker.js';
import { InProcessTransport, NO_REDACTION, type InvocationResult, type Transport } from './invocation.js';
import type { HandedDelivery } from './webhook-dispatcher.js';

export type HandoffFacts = Pick<CoordinatedHandoff, 'dispatcher' | 'status'>;

export interface DispatchResult {
  /** Null: the event was processed in this process, without a handoff. */
  handoff: HandoffFacts | null;
  invocation: InvocationResult;
}

/** Hands an attempt to its dispatcher and waits until the dispatcher has invoked the endpoint or failed to. */
@Injectable()
export class DispatchRunner {
  constructor(
    private readonly coordinator: DispatchCoordinator,
    private readonly config: EventBusConfig,
  ) {}

  /** Only the invocation's result counts; the dispatcher's word on the handoff is kept beside it. */
  async run(
    delivery: HandedDelivery,
    dispatcher: string | null,
    signal: AbortSignal,
    invokeEndpoint: (transport?: Transport) => Promise<InvocationResult>,
  ): Promise<DispatchResult> {
    const invoked = Promise.withResolvers<InvocationResult>();
    let isInvoked = false;
    let isInProcess = false;
    let isGivenUp = false;
    const invoke = async (transport?: Transport): Promise<void> => {
      if (isInvoked) {
        throw new Error('a handoff can be invoked once only');
      }
      if (isGivenUp) {
        return;
      }
      isInvoked = true;
      isInProcess = transport instanceof InProcessTransport;
      await invokeEndpoint(transport).then(invoked.resolve, invoked.reject);
    };
    const handed = await this.coordinator.hand({ delivery: toHanded(delivery), signal, invoke }, dispatcher);
    const handoff = { dispatcher: handed.dispatcher, status: handed.status };
    if (!isInvoked && handoff.status !== 'enqueued') {
      const message =
        handed.reason ?? `the dispatcher '${handoff.dispatcher}' took the delivery and did not invoke the endpoint`;
      isGivenUp = true;
      return { handoff, invocation: notInvoked(message) };
    }
    const invocation = isInvoked
      ? await invoked.promise
      : await this.untilInvoked(invoked.promise, signal, () => {
          isGivenUp = !isInvoked;
          return isGivenUp && notInvoked(`the dispatcher '${handoff.dispatcher}' did not invoke the endpoint in time`);
        });
    return { handoff: isInProcess ? null : handoff, invocation };
  }

  /** A delivery that a queue forgets ends with the lease, and is not sent after its attempt is over. */
  private async untilInvoked(
    invoked: Promise<InvocationResult>,
    signal: AbortSignal,
    giveUp: () => InvocationResult | false,
  ): Promise<InvocationResult> {
    const forgotten = Promise.withResolvers<InvocationResult>();
    const end = () => {
      const result = giveUp();
      if (result) {
        forgotten.resolve(result);
      }
    };
    const timer = setTimeout(end, this.config.leaseMs);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([invoked, forgotten.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

/** These fields only: the engine's delivery contains the payload before redaction. */
function toHanded(delivery: HandedDelivery): HandedDelivery {
  return {
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    tenantId: delivery.tenantId,
    endpointId: delivery.endpointId,
    url: delivery.url,
    type: delivery.type,
    traceId: delivery.traceId,
    streamKey: delivery.streamKey,
    streamSequence: delivery.streamSequence,
    previousSequence: delivery.previousSequence,
    attempt: delivery.attempt,
    replayCount: delivery.replayCount,
    leaseEpoch: delivery.leaseEpoch,
  };
}

function notInvoked(message: string): InvocationResult {
  const result = failedBefore('dispatcher', message);
  return { kind: 'invoked', result, bodySha256: null, redaction: NO_REDACTION };
}
