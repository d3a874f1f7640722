import { CredentialsService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { firstLine } from '@kernel/runtime';
import type { EndpointHeaders } from '../endpoints/webhook-endpoint.entity.js';
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
    const credentials = await this.addTo(request.headers, delivery.tenantId, delivery.headers);
    const result = await next();
    return credentials.length > 0 ? maskCredentials(result, credentials) : result;
  }

  /** Returns the credentials among the added headers: they are masked in the response. */
  async addTo(headers: Record<string, string>, tenantId: string, own: EndpointHeaders): Promise<string[]> {
    const credentials: string[] = [];
    for (const name in own) {
      const value = own[name]!;
      if (typeof value === 'string') {
        headers[name] = value;
      } else {
        headers[name] = await this.reveal(tenantId, value.secretAlias);
        credentials.push(headers[name]);
      }
    }
    return credentials;
  }

  private async reveal(tenantId: string, alias: string): Promise<string> {
    try {
      return (await this.credentials.current(tenantId, alias)).reveal();
    } catch (error) {
      throw new InvocationDeferredError('secret_unavailable', firstLine(error));
    }
  }
}
