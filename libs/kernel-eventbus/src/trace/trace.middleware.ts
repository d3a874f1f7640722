import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { runInTrace, traceFromHeaders } from './trace-context.js';

/** Gives every request one trace id: its log lines, events and response carry it. */
@Injectable()
export class TraceMiddleware implements NestMiddleware<IncomingMessage, ServerResponse> {
  use({ headers }: IncomingMessage, response: ServerResponse, next: () => void): void {
    const trace = traceFromHeaders({
      'x-trace-id': only(headers['x-trace-id']),
      traceparent: only(headers.traceparent),
      tracestate: only(headers.tracestate),
    });
    response.setHeader('x-trace-id', trace.traceId);
    runInTrace(trace, next);
  }
}

/** Node joins repeated headers with commas, so a list only comes from other HTTP servers. */
function only(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
