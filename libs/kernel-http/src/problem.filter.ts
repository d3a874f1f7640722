import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { Exchange, faultOf } from '@kernel/runtime';
import { currentTraceId, newTraceId, RequestRefusedError } from '@kernel/eventbus';
import { describeProblem } from './describe-problem.js';
import { toProblem } from './problem.js';
import { ProblemException } from './problem.exception.js';

/**
 * Responds to every error with `application/problem+json`. Internal errors are logged with their cause and shown
 * without it.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const exchange = Exchange.of(http.getRequest<object>(), http.getResponse<object>());
    const facts = describeProblem(error);
    if (facts.status >= 500) {
      this.#logger.error({ msg: facts.detail, fault: faultOf(error) });
    }
    if (exchange.isAnswered) {
      exchange.cutOff();
      return;
    }
    Object.entries(headersOf(error)).forEach(([name, value]) => exchange.setHeader(name, value));
    // A malformed body fails before the trace middleware runs.
    const traceId = currentTraceId() ?? exchange.getHeader('x-trace-id') ?? newTraceId();
    exchange.setHeader('x-trace-id', exchange.getHeader('x-trace-id') ?? traceId);
    exchange.status = facts.status;
    exchange.send(JSON.stringify(toProblem(facts, traceId)), 'application/problem+json; charset=utf-8');
  }
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof RequestRefusedError && error.retryAfterSeconds !== undefined) {
    return { 'retry-after': String(error.retryAfterSeconds) };
  }
  return error instanceof ProblemException ? error.headers : {};
}
