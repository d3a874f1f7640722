import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isOtherThanJson, type ProblemException, problems } from '@kernel/http';
import type { Exchange } from '@kernel/runtime';
import type { AdminRole } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from './admin-principal.js';
import { setResponseHeaders } from './response-headers.js';
import { readBearer } from './bearer-token.js';
import { refuseLargeBody } from './body-limit.js';
import { FailedAttempts } from './failed-attempts.js';
import { exchangeOf, keepInput } from './input.js';
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
    const exchange = exchangeOf(context);
    setResponseHeaders(exchange);
    const token = readBearer(exchange.incoming.headers.authorization);
    const principal = token && (await this.recognize(token, exchange));
    if (!principal) {
      throw this.refuse(exchange);
    }
    refuseLargeBody(exchange.incoming);
    if (isOtherThanJson(exchange.incoming)) {
      throw problems.unsupportedBody();
    }
    const role = this.reflector.getAllAndOverride(OnlyRole, [context.getHandler(), context.getClass()]);
    if (role && principal.role !== role) {
      throw problems.forbidden(`this needs a token with the role ${role}`);
    }
    keepInput(exchange, { principal });
    return true;
  }

  /**
   * Once a source is over its failure limit, lookups of unknown tokens run one at a time, and are refused without a
   * lookup when the queue is full.
   */
  private recognize(token: string, { address }: Exchange): Promise<AdminPrincipal | undefined> {
    const look = () => this.tokens.recognize(token);
    return this.failures.isAtLimit(address) && !this.tokens.isKnown(token) ? this.turns.take(address, look) : look();
  }

  private refuse(exchange: Exchange): ProblemException {
    const { authorization } = exchange.incoming.headers;
    const retryAfterSeconds = authorization === undefined ? undefined : this.failures.note(exchange.address);
    if (retryAfterSeconds !== undefined) {
      exchange.setHeader('retry-after', retryAfterSeconds);
      return problems.tooManyFailures(retryAfterSeconds);
    }
    exchange.setHeader('www-authenticate', 'Bearer');
    return problems.unauthorized();
  }
}
