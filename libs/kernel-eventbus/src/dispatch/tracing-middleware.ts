import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { headerSafe } from '../request/build-headers.js';
import { traceparentOf } from '../trace/trace-context.js';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';

/** Gives every attempt the trace of its event, with a span of its own. */
@Injectable()
export class TracingMiddleware implements EndpointInvokerMiddleware {
  readonly name = 'tracing';

  invoke({ delivery, request }: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult> {
    request.headers['x-trace-id'] = headerSafe(delivery.traceId);
    request.headers['traceparent'] = traceparentOf(delivery.traceId);
    return next();
  }
}
