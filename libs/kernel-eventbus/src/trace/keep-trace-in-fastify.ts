import type { ServerResponse } from 'node:http';
import type { HttpAdapterHost } from '@nestjs/core';
import { runWithTrace } from './trace-context.js';

interface FastifyInstance {
  addHook(name: 'preHandler', hook: (request: unknown, reply: { raw: ServerResponse }, done: () => void) => void): void;
}

/**
 * Fastify reads the body after the middleware, in callbacks of the socket, which do not belong to the trace. So the
 * trace begins again right before guards and handlers.
 */
export function keepTraceInFastify({ httpAdapter }: HttpAdapterHost): void {
  if (httpAdapter?.getType() === 'fastify') {
    httpAdapter.getInstance<FastifyInstance>().addHook('preHandler', (_request, { raw }, done) => {
      const traceId = raw.getHeader('x-trace-id');
      if (typeof traceId === 'string') {
        runWithTrace(traceId, done);
      } else {
        done();
      }
    });
  }
}
