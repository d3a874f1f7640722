import { Injectable } from '@nestjs/common';
import { BodyPreparer } from '../request/body-preparer.js';
import { buildHeaders } from '../request/build-headers.js';
import { sha256Hex } from '../envelope/canonical-json.js';
import { EventBusConfig } from '../eventbus.config.js';
import { OutgoingHttp, type OutgoingRequest, type OutgoingResult } from '@kernel/outgoing-http';
import { firstLine } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import type { EndpointInvocation } from './endpoint-invoker-middleware.js';
import { InProcessTransport, type InvocationRequest, type InvocationResult, type Transport } from './invocation.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';
import { InvokerPipeline } from './invoker-pipeline.js';
import type { SendRequest } from './webhook-dispatcher.js';

/** Invokes an endpoint once: prepares the body, signs the request, sends it. Every failure is a value. */
@Injectable()
export class EndpointInvoker {
  constructor(
    private readonly preparer: BodyPreparer,
    private readonly pipeline: InvokerPipeline,
    private readonly http: OutgoingHttp,
    private readonly hooks: StageHooks,
    private readonly config: EventBusConfig,
  ) {}

  /** `transport`: of the dispatcher; default: the guarded HTTP client. */
  async invoke(delivery: InvocationRequest, signal?: AbortSignal, transport?: Transport): Promise<InvocationResult> {
    if (transport instanceof InProcessTransport) {
      return transport.process(delivery);
    }
    const prepared = await this.preparer.prepare(delivery);
    if (prepared.kind === 'deferred') {
      return prepared;
    }
    const { url, urlSetByOperator } = delivery;
    const timeoutMs = delivery.timeoutMs ?? this.config.timeoutMs;
    const { body, redaction } = prepared.outgoing;
    const request = { url, urlSetByOperator, timeoutMs, headers: buildHeaders(delivery), body };
    try {
      const result = await this.signAndSend({ delivery, request }, signal, transport);
      return { kind: 'invoked', result, bodySha256: sha256Hex(request.body), redaction };
    } catch (error) {
      if (error instanceof InvocationDeferredError) {
        return { kind: 'deferred', errorClass: error.errorClass, error: error.message };
      }
      const result = failedBefore('middleware', firstLine(error));
      return { kind: 'invoked', result, bodySha256: sha256Hex(request.body), redaction };
    }
  }

  /** The middleware may change the request; the signature is its last step. */
  private signAndSend(
    invocation: EndpointInvocation,
    signal?: AbortSignal,
    send?: SendRequest,
  ): Promise<OutgoingResult> {
    return this.pipeline.run(invocation, () => {
      this.hooks.reached('prepared');
      const request = { ...invocation.request, tenantId: invocation.delivery.tenantId, signal };
      return send ? sendBy(send, request) : this.http.post(request);
    });
  }
}

/** An error of the dispatcher's transport is not a failure of the middleware around it. */
async function sendBy(send: SendRequest, request: OutgoingRequest): Promise<OutgoingResult> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof InvocationDeferredError) {
      throw error;
    }
    return failedBefore('dispatcher', firstLine(error));
  }
}

/** Result of an attempt that never reached the network. */
export function failedBefore(errorClass: 'middleware' | 'dispatcher', message: string): OutgoingResult {
  return { kind: 'failure', errorClass, message, latencyMs: 0 };
}
