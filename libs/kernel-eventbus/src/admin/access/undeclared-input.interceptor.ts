import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { problems } from '../../http/problem.exception.js';
import { findPrototypeKey } from './find-prototype-key.js';

/** A route with query parameters, which its DTO then checks. */
export const TakesQuery = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** A POST that is told everything by its path. A DELETE never takes a body. */
export const TakesNoBody = Reflector.createDecorator<void, boolean>({ transform: () => true });

/** Whatever a route does not declare is refused: `DELETE ...?dryRun=true` must not delete before `dryRun` is built. */
@Injectable()
export class UndeclaredInputInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Request>();
    const handler = context.getHandler();
    const [parameter] = Object.keys(request.query);
    if (parameter !== undefined && !this.reflector.get(TakesQuery, handler)) {
      throw problems.invalid(parameter, 'unknown query parameter: this route takes none');
    }
    const prototypeKey = findPrototypeKey(request.body);
    if (prototypeKey !== undefined) {
      throw problems.invalid(prototypeKey, 'unknown field: nothing can be called so');
    }
    const [field] = Object.keys((request.body ?? {}) as object);
    if (field !== undefined && (request.method === 'DELETE' || this.reflector.get(TakesNoBody, handler))) {
      throw problems.invalid(field, 'unknown field: this route takes no body');
    }
    return next.handle();
  }
}
