import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { problems } from '../../http/problem.exception.js';

/** A route with query parameters, which its DTO then checks. */
export const TakesQuery = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Any other route refuses query parameters: `DELETE ...?dryRun=true` must not delete before `dryRun` is built. */
@Injectable()
export class UndeclaredQueryInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const [name] = Object.keys(context.switchToHttp().getRequest<Request>().query);
    if (name !== undefined && !this.reflector.get(TakesQuery, context.getHandler())) {
      throw problems.invalid(name, 'unknown query parameter: this route takes none');
    }
    return next.handle();
  }
}
