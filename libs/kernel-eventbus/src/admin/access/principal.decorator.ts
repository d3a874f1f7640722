import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { AdminPrincipal } from './admin-principal.js';

const principals = new WeakMap<Request, AdminPrincipal>();

export function rememberPrincipal(request: Request, principal: AdminPrincipal): void {
  principals.set(request, principal);
}

/** Whom the guard let in. */
export const Principal = createParamDecorator((_: unknown, context: ExecutionContext): AdminPrincipal => {
  const principal = principals.get(context.switchToHttp().getRequest<Request>());
  if (!principal) {
    throw new Error('@Principal() works behind the AdminGuard only: declare the controller with @AdminController()');
  }
  return principal;
});
