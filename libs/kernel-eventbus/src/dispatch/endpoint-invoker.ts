import { Injectable } from '@nestjs/common';
import { buildHeaders } from '../request/build-headers.js';
import { WebhookBody, type OutgoingBody } from '../request/webhook-body.js';
import { sha256Hex } from '../envelope/canonical-json.js';
import { EventBusConfig } from '../eventbus.config.js';
import { OutgoingHttp, type OutgoingResult } from '@kernel/outgoing-http';
import { firstLine } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import { InProcessTransport, type InvocationRequest, type InvocationResult, type Transport } from './invocation.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';
import { InvokerPipeline } from './invoker-pipeline.js';
import { tracePost } from './trace-post.js';
import type { DispatchedRequest, SendRequest } from './webhook-dispatcher.js';

/** Invokes an endpoint once: prepares the body, signs the request, sends it. Every failure is a value. */
@Injectable()
export class EndpointInvoker {
  constructor(
    private readonly body: WebhookBody,
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
    const { endpoint, tenantId } = delivery;
    let outgoing: OutgoingBody;
    try {
      outgoing = await this.body.build(delivery, endpoint.isExternal);
    } catch (error) {
      // Without a policy nothing is sent.
      return { kind: 'deferred', errorClass: 'policy_unavailable', error: firstLine(error) };
    }
    const { body, streamKey, redaction } = outgoing;
    const request = {
      url: endpoint.url,
      urlSetByOperator: endpoint.urlSetByOperator,
      timeoutMs: endpoint.timeoutMs ?? this.config.timeoutMs,
      headers: buildHeaders(delivery, streamKey),
      body,
    };
    let result: OutgoingResult;
    try {
      result = await this.pipeline.run(delivery, request, () =>
        this.send(delivery, { ...request, tenantId, streamKey, signal }, transport),
      );
    } catch (error) {
      if (error instanceof InvocationDeferredError) {
        return { kind: 'deferred', errorClass: error.errorClass, error: error.message };
      }
      result = failedBefore('middleware', firstLine(error));
    }
    return { kind: 'invoked', result, bodySha256: sha256Hex(request.body), redaction };
  }

  private send(
    delivery: InvocationRequest,
    request: DispatchedRequest,
    transport: SendRequest | undefined,
  ): Promise<OutgoingResult> {
    this.hooks.reached('prepared');
    return transport ? sendBy(transport, request) : tracePost(request, delivery, () => this.http.post(request));
  }
}

/** An error of the dispatcher's transport is not a failure of the middleware around it. */
async function sendBy(send: SendRequest, request: DispatchedRequest): Promise<OutgoingResult> {
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
