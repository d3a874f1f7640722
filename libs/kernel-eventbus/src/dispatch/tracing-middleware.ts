import { Injectable } from '@nestjs/common';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { headerSafe } from '../request/build-headers.js';
import { type Trace, traceparentOf } from '../trace/trace-context.js';
import type { EndpointInvocation, EndpointInvokerMiddleware } from './endpoint-invoker-middleware.js';

/** Gives every attempt the trace of its event, with a span of its own. */
@Injectable()
export class TracingMiddleware implements EndpointInvokerMiddleware {
  readonly name = 'tracing';

  invoke({ delivery, request }: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult> {
    this.addTo(request.headers, delivery);
    return next();
  }

  addTo(headers: Record<string, string>, { traceId, traceParent, traceState }: Trace): void {
    headers['x-trace-id'] = headerSafe(traceId);
    headers['traceparent'] = traceparentOf(traceId, traceParent);
    if (traceState !== null) {
      headers['tracestate'] = traceState;
    }
  }
}
