import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { isOtherThanJson, type ProblemException, problems } from '@kernel/http';
import type { AdminRole } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from './admin-principal.js';
import { setResponseHeaders } from './response-headers.js';
import { readBearer } from './bearer-token.js';
import { refuseLargeBody } from './body-limit.js';
import { FailedAttempts } from './failed-attempts.js';
import { keepInput } from './input.js';
import { TokenLookupLimiter } from './token-lookup-limiter.js';
import { TokenRecognizer } from './token-recognizer.js';

/** Restricts a route to one role. */
export const OnlyRole = Reflector.createDecorator<AdminRole>();

@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly tokens: TokenRecognizer,
    private readonly failures: FailedAttempts,
    private readonly turns: TokenLookupLimiter,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    setResponseHeaders(response);
    const token = readBearer(request.headers.authorization);
    const principal = token && (await this.recognize(token, request));
    if (!principal) {
      throw this.refuse(request, response);
    }
    refuseLargeBody(request);
    if (isOtherThanJson(request)) {
      throw problems.unsupportedBody();
    }
    const role = this.reflector.getAllAndOverride(OnlyRole, [context.getHandler(), context.getClass()]);
    if (role && principal.role !== role) {
      throw problems.forbidden(`this needs a token with the role ${role}`);
    }
    keepInput(request, { principal });
    return true;
  }

  /**
   * Once a source is over its failure limit, lookups of unknown tokens run one at a time, and are refused without a
   * lookup when the queue is full.
   */
  private recognize(token: string, { ip }: Request): Promise<AdminPrincipal | undefined> {
    const look = () => this.tokens.recognize(token);
    return this.failures.isAtLimit(ip) && !this.tokens.isKnown(token) ? this.turns.take(ip, look) : look();
  }

  private refuse({ headers, ip }: Request, response: Response): ProblemException {
    const retryAfterSeconds = headers.authorization === undefined ? undefined : this.failures.note(ip);
    if (retryAfterSeconds !== undefined) {
      response.setHeader('retry-after', retryAfterSeconds);
      return problems.tooManyFailures(retryAfterSeconds);
    }
    response.setHeader('www-authenticate', 'Bearer');
    return problems.unauthorized();
  }
}
