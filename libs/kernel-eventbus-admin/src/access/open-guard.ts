import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isOtherThanJson, problems } from '@kernel/http';
import { setResponseHeaders } from './response-headers.js';
import { refuseLargeBody } from './body-limit.js';

/** The checks of `AdminGuard`, without authentication. */
@Injectable()
export class OpenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    setResponseHeaders(http.getResponse<Response>());
    refuseLargeBody(request);
    if (isOtherThanJson(request)) {
      throw problems.unsupportedBody();
    }
    return true;
  }
}
