import { once } from 'node:events';
import { type CallHandler, type ExecutionContext, type NestInterceptor, StreamableFile } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';
import type { Exchange } from '@kernel/runtime';
import { exchangeOf } from './input.js';

/**
 * Sends the result of a handler itself. Interceptors of the host run around this one and see no result: they cannot
 * wrap, translate or cache it.
 */
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<void> {
    return next.handle().pipe(concatMap((result) => answer(exchangeOf(context), result)));
  }
}

async function answer(exchange: Exchange, result: unknown): Promise<void> {
  if (exchange.isAnswered) {
    return;
  }
  if (!(result instanceof StreamableFile)) {
    exchange.sendJson(result);
    return;
  }
  const stream = result.getStream();
  // A stream that fails at once is answered with a problem.
  await once(stream, 'readable');
  exchange.setHeader('content-type', result.getHeaders().type);
  exchange.sendStream(stream);
}
