import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventBusConfig } from '../eventbus.config.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { HeadersMiddleware } from './headers-middleware.js';
import type { InvocationRequest } from './invocation.js';
import { requireDistinctNames } from './require-distinct-names.js';
import { resolveParts } from './resolve-parts.js';
import { SigningMiddleware } from './signing-middleware.js';
import { toHanded } from './to-handed.js';
import { TracingMiddleware } from './tracing-middleware.js';

/**
 * The steps around every attempt's request: tracing first, then the host's middleware in its order, the endpoint's
 * headers, the signature.
 */
@Injectable()
export class InvokerPipeline implements OnModuleInit {
  /** Undefined without middleware of the host. */
  #middleware: readonly EndpointInvokerMiddleware[] | undefined;

  constructor(
    private readonly moduleRef: ModuleRef,
    private readonly config: EventBusConfig,
    private readonly tracing: TracingMiddleware,
    private readonly headers: HeadersMiddleware,
    private readonly signing: SigningMiddleware,
  ) {}

  async onModuleInit(): Promise<void> {
    const hosts = await resolveParts<EndpointInvokerMiddleware>(this.moduleRef, this.config.invokerMiddleware);
    requireDistinctNames('invokerMiddleware', hosts);
    if (hosts.length === 0) {
      return;
    }
    // A host's middleware of the same name replaces ours, at the host's position.
    const isReplaced = ({ name }: EndpointInvokerMiddleware) => hosts.some((host) => host.name === name);
    this.#middleware = [
      ...[this.tracing].filter((ours) => !isReplaced(ours)),
      ...hosts,
      // After the host's, which does not need to see credentials.
      ...[this.headers, this.signing].filter((ours) => !isReplaced(ours)),
    ];
  }

  run(delivery: InvocationRequest, request: Request, send: Send): Promise<OutgoingResult> {
    return this.#middleware
      ? runAll(this.#middleware, { delivery: toInvoked(delivery), request }, send)
      : this.runOurs(delivery, request, send);
  }

  /** Our steps one after the other, without the host's middleware between them. */
  private async runOurs(delivery: InvocationRequest, request: Request, send: Send): Promise<OutgoingResult> {
    const { tenantId, eventId, endpoint } = delivery;
    this.tracing.addTo(request.headers, delivery);
    const credentials = await this.headers.addTo(request.headers, tenantId, endpoint.headers);
    await this.signing.sign(request, { tenantId, eventId, endpoint });
    return this.headers.mask(await send(), credentials);
  }
}

type Request = EndpointInvocation['request'];
type Send = () => Promise<OutgoingResult>;

function runAll(
  middleware: readonly EndpointInvokerMiddleware[],
  invocation: EndpointInvocation,
  send: Send,
): Promise<OutgoingResult> {
  const step = (place: number): Promise<OutgoingResult> => {
    const next = middleware[place];
    return next ? next.invoke(invocation, () => step(place + 1)) : send();
  };
  return step(0);
}

function toInvoked(delivery: InvocationRequest): EndpointInvocation['delivery'] {
  const { signingSecretAlias, signature, headers } = delivery.endpoint;
  // Copied: all deliveries of the endpoint share the headers.
  return { ...toHanded(delivery), signingSecretAlias, signature, headers: structuredClone(headers) };
}
