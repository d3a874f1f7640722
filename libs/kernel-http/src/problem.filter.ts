import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { faultOf } from '@kernel/runtime';
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
    const response = host.switchToHttp().getResponse<Response>();
    const facts = describeProblem(error);
    if (facts.status >= 500) {
      this.#logger.error({ msg: facts.detail, fault: faultOf(error) });
    }
    if (response.headersSent) {
      response.end();
      return;
    }
    Object.entries(headersOf(error)).forEach(([name, value]) => response.setHeader(name, value));
    // A malformed body fails before the trace middleware runs.
    const traceId = currentTraceId() ?? newTraceId();
    response
      .status(facts.status)
      .setHeader('x-trace-id', response.getHeader('x-trace-id') ?? traceId)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem(facts, traceId)));
  }
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof RequestRefusedError && error.retryAfterSeconds !== undefined) {
    return { 'retry-after': String(error.retryAfterSeconds) };
  }
  return error instanceof ProblemException ? error.headers : {};
}
