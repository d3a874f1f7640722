import { CredentialsService, type SecretValue } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { firstLine } from '@kernel/runtime';
import type { EndpointHeaders } from '../endpoints/webhook-endpoint.entity.js';
import { CredentialMask } from './credential-mask.js';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';

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
    return this.mask(await next(), credentials);
  }

  mask(result: OutgoingResult, credentials: readonly SecretValue[]): OutgoingResult {
    return credentials.length > 0
      ? new CredentialMask(credentials.map((credential) => credential.reveal())).apply(result)
      : result;
  }

  /** Returns the credentials among the added headers: they are masked in the response. */
  async addTo(headers: Record<string, string>, tenantId: string, own: EndpointHeaders): Promise<SecretValue[]> {
    const credentials: SecretValue[] = [];
    for (const name in own) {
      const value = own[name]!;
      if (typeof value === 'string') {
        headers[name] = value;
      } else {
        const credential = await this.find(tenantId, value.secretAlias);
        headers[name] = credential.reveal();
        credentials.push(credential);
      }
    }
    return credentials;
  }

  private async find(tenantId: string, alias: string): Promise<SecretValue> {
    try {
      return await this.credentials.current(tenantId, alias);
    } catch (error) {
      throw new InvocationDeferredError('secret_unavailable', firstLine(error));
    }
  }
}
