import type { SignatureScheme } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import { buildHeaders } from '../delivery/build-headers.js';
import { BodyPreparer, type WebhookParts } from '../delivery/body-preparer.js';
import type { Redaction } from '../delivery/webhook-body.js';
import { sha256Hex } from '../envelope/canonical-json.js';
import { OutgoingHttp, type OutgoingRequest, type OutgoingResult } from '../outgoing/outgoing-http.js';
import type { EndpointHeaders } from '../routing/webhook-endpoint.entity.js';
import { firstLine } from '../runtime/fault.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import type { EndpointInvocation } from './endpoint-invoker-middleware.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';
import { InvokerPipeline } from './invoker-pipeline.js';
import type { SendRequest } from './webhook-dispatcher.js';

export interface InvocationOrder extends WebhookParts {
  endpointId: string;
  url: string;
  urlSetByOperator: boolean;
  signingSecretAlias: string;
  signature: SignatureScheme;
  /** What the endpoint wants besides. */
  headers: EndpointHeaders;
  timeoutMs: number;
  replayCount: number;
  leaseEpoch: number;
}

export type InvocationResult = InvokedEndpoint | DeferredInvocation;

export interface InvokedEndpoint {
  kind: 'invoked';
  result: OutgoingResult;
  /** Null: no body was made. */
  bodySha256: string | null;
  redaction: Redaction;
}

/** A fault of our own: nothing was sent, no attempt is used up. */
export interface DeferredInvocation {
  kind: 'deferred';
  errorClass: string;
  error: string;
}

/** Invokes an endpoint once: redact, then everything that middleware does, then send. What comes of it is a value. */
@Injectable()
export class EndpointInvoker {
  constructor(
    private readonly preparer: BodyPreparer,
    private readonly pipeline: InvokerPipeline,
    private readonly http: OutgoingHttp,
    private readonly hooks: StageHooks,
  ) {}

  async invoke(order: InvocationOrder, signal?: AbortSignal, send?: SendRequest): Promise<InvocationResult> {
    const prepared = await this.preparer.prepare(order);
    if (prepared.kind === 'deferred') {
      return prepared;
    }
    const { url, urlSetByOperator, timeoutMs } = order;
    const { body, redaction } = prepared.outgoing;
    const request = { url, urlSetByOperator, timeoutMs, headers: buildHeaders(order), body };
    try {
      const result = await this.run({ delivery: order, request }, signal, send);
      return { kind: 'invoked', result, bodySha256: sha256Hex(request.body), redaction };
    } catch (error) {
      if (error instanceof InvocationDeferredError) {
        return { kind: 'deferred', errorClass: error.errorClass, error: error.message };
      }
      const result = failedBefore('middleware', firstLine(error));
      return { kind: 'invoked', result, bodySha256: sha256Hex(request.body), redaction };
    }
  }

  private run(invocation: EndpointInvocation, signal?: AbortSignal, send?: SendRequest): Promise<OutgoingResult> {
    return this.pipeline.run(invocation, () => {
      this.hooks.reached('prepared');
      const request = { ...invocation.request, tenantId: invocation.delivery.tenantId, signal };
      return send ? sendBy(send, request) : this.http.post(request);
    });
  }
}

/** What the dispatcher's own transport throws is no fault of the middleware around it. */
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

/** The result of an attempt that never got as far as the network. */
export function failedBefore(errorClass: 'middleware' | 'dispatcher', message: string): OutgoingResult {
  return { kind: 'failure', errorClass, message, latencyMs: 0 };
}
