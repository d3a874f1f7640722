import { PolicyUnavailableError } from '@kernel/privacy';
import { listIssues } from '@kernel/runtime';
import { SecretsError } from '@kernel/secrets';
import { HttpException } from '@nestjs/common';
import { ZodValidationException } from 'nestjs-zod';
import type { ZodError } from 'zod';
import {
  DuplicateEventIdError,
  EventBusError,
  EventIdReusedError,
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
  PayloadTooLargeError,
  RequestRefusedError,
  type RefusalCode,
  RetryableTransactionError,
} from '@kernel/eventbus';
import { ProblemException } from './problem.exception.js';
import { describeSecretsProblem } from './describe-secrets-problem.js';
import { codeOf, codeOfStatus, type ProblemFacts, titleOf } from './problem.js';
import { validationProblem } from './validation-problem.js';

/** Public description of an error. Unexpected errors are a 500 without internal details. */
export function describeProblem(error: unknown): ProblemFacts {
  if (error instanceof ProblemException) {
    return error.facts;
  }
  if (error instanceof ZodValidationException) {
    return validationProblem(listIssues((error.getZodError() as ZodError).issues));
  }
  if (error instanceof InvalidEventError) {
    return validationProblem(error);
  }
  if (error instanceof PayloadTooLargeError) {
    return validationProblem([{ path: 'payload', message: error.message }]);
  }
  if (error instanceof RequestRefusedError) {
    return error.code === 'VALIDATION_FAILED'
      ? validationProblem(error)
      : { code: codeOf(error), status: REFUSAL_STATUS[error.code], detail: error.message };
  }
  if (error instanceof EventBusError) {
    return { code: codeOf(error), status: statusOf(error), detail: error.message };
  }
  if (error instanceof SecretsError) {
    return describeSecretsProblem(error);
  }
  if (error instanceof PolicyUnavailableError) {
    return { code: 'policy-unavailable', status: 503, detail: error.message };
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    const detail = status < 500 ? error.message : 'something went wrong on our side';
    return { code: codeOfStatus(status), status, detail };
  }
  const status = clientErrorStatus(error);
  if (status) {
    return { code: codeOfStatus(status), status, detail: titleOf(status) };
  }
  return { code: 'internal-error', status: 500, detail: 'something went wrong on our side' };
}

const REFUSAL_STATUS: Record<RefusalCode, number> = {
  VALIDATION_FAILED: 400,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_MANY_TESTS: 429,
  TOOK_TOO_LONG: 503,
  BUSY: 503,
  DATABASE_ROLES_MISSING: 503,
};

const CONFLICTS = [DuplicateEventIdError, EventIdReusedError, IdempotencyConflictError];

/** Errors that the caller can fix have their own status; the rest are internal. */
function statusOf(error: EventBusError): number {
  if (error instanceof IdempotencyKeyRequiredError) {
    return 400;
  }
  if (error instanceof RetryableTransactionError) {
    return 503;
  }
  return CONFLICTS.some((kind) => error instanceof kind) ? 409 : 500;
}

/** Errors of body parsers and similar middleware. The status is passed on; the message may quote the body. */
function clientErrorStatus(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { status?: unknown };
  return error instanceof Error && typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
