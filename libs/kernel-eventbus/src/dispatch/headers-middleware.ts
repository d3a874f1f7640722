import { CredentialsService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { firstLine } from '@kernel/runtime';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';
import { maskCredentials } from './mask-credentials.js';

/** Adds the endpoint's own headers. If one of its credentials is missing, nothing is sent. */
@Injectable()
export class HeadersMiddleware implements EndpointInvokerMiddleware {
  readonly name = 'headers';

  constructor(private readonly credentials: CredentialsService) {}

  async invoke(
    { delivery, request }: EndpointInvocation,
    next: () => Promise<OutgoingResult>,
  ): Promise<OutgoingResult> {
    const sent: string[] = [];
    for (const [name, value] of Object.entries(delivery.headers)) {
      if (typeof value === 'string') {
        request.headers[name] = value;
      } else {
        request.headers[name] = await this.reveal(delivery.tenantId, value.secretAlias);
        sent.push(request.headers[name]);
      }
    }
    const result = await next();
    return sent.length > 0 ? maskCredentials(result, sent) : result;
  }

  private async reveal(tenantId: string, alias: string): Promise<string> {
    try {
      return (await this.credentials.current(tenantId, alias)).reveal();
    } catch (error) {
      throw new InvocationDeferredError('secret_unavailable', firstLine(error));
    }
  }
}
