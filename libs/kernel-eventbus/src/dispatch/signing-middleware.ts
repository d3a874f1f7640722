import { SigningService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { Clock, firstLine } from '@kernel/runtime';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';
import { InvocationDeferredError } from './invocation-deferred.error.js';

interface Signed {
  tenantId: string;
  eventId: string;
  endpoint: Pick<EndpointInvocation['delivery'], 'signingSecretAlias' | 'signature'>;
}

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
    const { tenantId, eventId } = delivery;
    await this.sign(request, { tenantId, eventId, endpoint: delivery });
    return next();
  }

  /** Adds the signature of the request's body to its headers. */
  async sign({ headers, body }: EndpointInvocation['request'], { tenantId, eventId, endpoint }: Signed): Promise<void> {
    const { signingSecretAlias: alias, signature: scheme } = endpoint;
    try {
      const timestamp = this.clock.now();
      Object.assign(headers, await this.signing.sign({ tenantId, alias, scheme, messageId: eventId, timestamp, body }));
    } catch (error) {
      throw new InvocationDeferredError('secret_unavailable', firstLine(error));
    }
  }
}
