import { SigningService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { Clock, firstLine } from '@kernel/runtime';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';

/** Signs the body as specified by Standard Webhooks. Without a secret nothing is sent. */
@Injectable()
export class SigningMiddleware implements EndpointInvokerMiddleware {
  readonly name = 'signing';

  constructor(
    private readonly signing: SigningService,
    private readonly clock: Clock,
  ) {}

  async invoke(
    { delivery, request }: EndpointInvocation,
    next: () => Promise<OutgoingResult>,
  ): Promise<OutgoingResult> {
    Object.assign(request.headers, await this.sign(delivery, request.body));
    return next();
  }

  private async sign(delivery: EndpointInvocation['delivery'], body: string) {
    try {
      return await this.signing.sign({
        tenantId: delivery.tenantId,
        alias: delivery.signingSecretAlias,
        scheme: delivery.signature,
        messageId: delivery.eventId,
        timestamp: this.clock.now(),
        body,
      });
    } catch (error) {
      throw new InvocationDeferredError('secret_unavailable', firstLine(error));
    }
  }
}
