import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { runWithTrace, traceIdFromHeaders } from '../runtime/trace-context.js';

/** Gives every request one trace id: what it logs and publishes carries it, and the response names it. */
@Injectable()
export class TraceMiddleware implements NestMiddleware {
  use(request: Request, response: Response, next: NextFunction): void {
    const traceId = traceIdFromHeaders({
      'x-trace-id': request.header('x-trace-id'),
      traceparent: request.header('traceparent'),
    });
    response.setHeader('x-trace-id', traceId);
    runWithTrace(traceId, next);
  }
}
