import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isOtherThanJson, problems } from '@kernel/http';
import { exchangeOf } from './input.js';
import { setResponseHeaders } from './response-headers.js';
import { refuseLargeBody } from './body-limit.js';

/** The checks of `AdminGuard`, without authentication. */
@Injectable()
export class OpenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeOf(context);
    setResponseHeaders(exchange);
    refuseLargeBody(exchange.incoming);
    if (isOtherThanJson(exchange.incoming)) {
      throw problems.unsupportedBody();
    }
    return true;
  }
}
