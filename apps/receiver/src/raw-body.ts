import { ProblemException, problems } from '@kernel/http';
import { raw, type NextFunction, type Request, type Response } from 'express';

const LIMIT_BYTES = 1_048_576;
const read = raw({ type: () => true, limit: LIMIT_BYTES });

/**
 * Keeps the body as the exact bytes received: the signature covers them, and parsing and printing would change them.
 */
export function rawBody(request: Request, response: Response, next: NextFunction): void {
  read(request, response, (error?: unknown) => {
    request.body ??= Buffer.alloc(0);
    next(error && toProblem(error));
  });
}

function toProblem({ status }: { status?: number }): ProblemException {
  return status === 413
    ? problems.bodyTooLarge(LIMIT_BYTES)
    : new ProblemException({ code: 'unreadable-body', status: 400, detail: 'the body could not be read' });
}
