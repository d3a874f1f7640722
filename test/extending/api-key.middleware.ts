import type { EndpointInvocation, EndpointInvokerMiddleware, OutgoingResult } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';

/** Adds a key to every request to one host. */
@Injectable()
export class ApiKeyMiddleware implements EndpointInvokerMiddleware {
  readonly name = 'api-key';

  async invoke({ request }: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult> {
    if (new URL(request.url).hostname === 'partner.example') {
      request.headers['x-api-key'] = 'taken from your vault, not from the code';
    }
    return next();
  }
}
