import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { DispatchCoordinator, type CoordinatedHandoff } from './dispatch-coordinator.js';
import { failedBefore, type InvocationResult } from './endpoint-invoker.js';
import type { HandedDelivery, SendRequest } from './webhook-dispatcher.js';

export type HandoffFacts = Pick<CoordinatedHandoff, 'dispatcher' | 'status'>;

/** Hands an attempt to its dispatcher and waits until that has invoked the endpoint, or has failed to. */
@Injectable()
export class Handover {
  constructor(
    private readonly coordinator: DispatchCoordinator,
    private readonly config: EventBusConfig,
  ) {}

  /** The invocation's outcome is what counts; what the dispatcher says of the handoff is kept beside it. */
  async perform(
    delivery: HandedDelivery,
    dispatcher: string | null,
    signal: AbortSignal,
    invokeEndpoint: (send?: SendRequest) => Promise<InvocationResult>,
  ): Promise<{ handoff: HandoffFacts; invocation: InvocationResult }> {
    const invoked = Promise.withResolvers<InvocationResult>();
    let isInvoked = false;
    let isGivenUp = false;
    const invoke = async (send?: SendRequest): Promise<void> => {
      if (isInvoked) {
        throw new Error('a handoff can be invoked once only');
      }
      if (isGivenUp) {
        return;
      }
      isInvoked = true;
      await invokeEndpoint(send).then(invoked.resolve, invoked.reject);
    };
    const handed = await this.coordinator.hand({ delivery: toldOf(delivery), signal, invoke }, dispatcher);
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
    return { handoff, invocation };
  }

  /** A queue that forgets a delivery must not keep it for ever, nor send it when the attempt is over. */
  private async untilInvoked(
    invoked: Promise<InvocationResult>,
    signal: AbortSignal,
    giveUp: () => InvocationResult | false,
  ): Promise<InvocationResult> {
    const forgotten = Promise.withResolvers<InvocationResult>();
    const look = () => {
      const result = giveUp();
      if (result) {
        forgotten.resolve(result);
      }
    };
    const timer = setTimeout(look, this.config.leaseMs);
    signal.addEventListener('abort', look, { once: true });
    try {
      return await Promise.race([invoked, forgotten.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', look);
    }
  }
}

/** No more than this: a delivery as the engine holds it has the payload in it that is not redacted yet. */
function toldOf(delivery: HandedDelivery): HandedDelivery {
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
  const redaction = { policyId: null, policyVersion: null, removedPaths: null };
  return { kind: 'invoked', result: failedBefore('dispatcher', message), bodySha256: null, redaction };
}
