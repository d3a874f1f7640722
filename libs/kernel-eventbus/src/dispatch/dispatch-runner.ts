import { Injectable } from '@nestjs/common';
import { context } from '@opentelemetry/api';
import { EventBusConfig } from '../eventbus.config.js';
import { DispatchCoordinator, type CoordinatedHandoff } from './dispatch-coordinator.js';
import { failedBefore } from './endpoint-invoker.js';
import { hideUrlSecrets } from './hide-url-secrets.js';
import { HTTP_DISPATCHER } from './http-dispatcher.js';
import {
  InProcessTransport,
  NO_REDACTION,
  type InvocationRequest,
  type InvocationResult,
  type Transport,
} from './invocation.js';
import { toHanded } from './to-handed.js';

export type HandoffFacts = Pick<CoordinatedHandoff, 'dispatcher' | 'status'>;

export interface DispatchResult {
  /** Null: the event was processed in this process, without a handoff. */
  handoff: HandoffFacts | null;
  invocation: InvocationResult;
}

type InvokeEndpoint = (transport?: Transport) => Promise<InvocationResult>;

const TAKEN_BY_HTTP: HandoffFacts = Object.freeze({ dispatcher: HTTP_DISPATCHER, status: 'accepted' });

/** Hands an attempt to its dispatcher and waits until the dispatcher has invoked the endpoint or failed to. */
@Injectable()
export class DispatchRunner {
  constructor(
    private readonly coordinator: DispatchCoordinator,
    private readonly config: EventBusConfig,
  ) {}

  async run(delivery: InvocationRequest, signal: AbortSignal, invokeEndpoint: InvokeEndpoint): Promise<DispatchResult> {
    const { dispatcher, url } = delivery.endpoint;
    if (this.coordinator.invokesAtOnce(dispatcher)) {
      return { handoff: TAKEN_BY_HTTP, invocation: hideUrlSecrets(await invokeEndpoint(), url) };
    }
    const { handoff, invocation } = await this.hand(delivery, signal, invokeEndpoint);
    return { handoff, invocation: hideUrlSecrets(invocation, url) };
  }

  /** Only the invocation's result counts; the dispatcher's word on the handoff is kept beside it. */
  private async hand(
    delivery: InvocationRequest,
    signal: AbortSignal,
    invokeEndpoint: InvokeEndpoint,
  ): Promise<DispatchResult> {
    const invoked = Promise.withResolvers<InvocationResult>();
    // A queue calls back from anywhere: the request stays in the attempt's span.
    const invokeInSpan = context.bind(context.active(), invokeEndpoint);
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
      await invokeInSpan(transport).then(invoked.resolve, invoked.reject);
    };
    const { dispatcher } = delivery.endpoint;
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

function notInvoked(message: string): InvocationResult {
  const result = failedBefore('dispatcher', message);
  return { kind: 'invoked', result, bodySha256: null, redaction: NO_REDACTION };
}
