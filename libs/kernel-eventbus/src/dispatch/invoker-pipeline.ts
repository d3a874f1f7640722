import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventBusConfig } from '../eventbus.config.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { HeadersMiddleware } from './headers-middleware.js';
import { requireDistinctNames } from './require-distinct-names.js';
import { resolveParts } from './resolve-parts.js';
import { SigningMiddleware } from './signing-middleware.js';
import { TracingMiddleware } from './tracing-middleware.js';

/**
 * The middleware around every attempt: tracing first, then the host's in its order, the endpoint's headers, the
 * signature.
 */
@Injectable()
export class InvokerPipeline implements OnModuleInit {
  #middleware: readonly EndpointInvokerMiddleware[] = [];

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
    // A host's middleware of the same name replaces ours, at the host's position.
    const isReplaced = ({ name }: EndpointInvokerMiddleware) => hosts.some((host) => host.name === name);
    this.#middleware = [
      ...[this.tracing].filter((ours) => !isReplaced(ours)),
      ...hosts,
      // After the host's, which does not need to see credentials.
      ...[this.headers, this.signing].filter((ours) => !isReplaced(ours)),
    ];
  }

  run(invocation: EndpointInvocation, send: () => Promise<OutgoingResult>): Promise<OutgoingResult> {
    const step = (place: number): Promise<OutgoingResult> => {
      const middleware = this.#middleware[place];
      return middleware ? middleware.invoke(invocation, () => step(place + 1)) : send();
    };
    return step(0);
  }
}
