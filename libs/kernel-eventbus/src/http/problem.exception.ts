import { HttpException } from '@nestjs/common';
import type { ProblemFacts } from './problem.js';

/** Thrown at the edge to answer with exactly this problem document. */
export class ProblemException extends HttpException {
  constructor(readonly facts: ProblemFacts) {
    super(facts.detail, facts.status);
  }
}

type FieldError = NonNullable<ProblemFacts['errors']>[number];

export const problems = {
  notFound: (what: string) =>
    new ProblemException({ type: 'not-found', status: 404, detail: `there is no such ${what}` }),
  forbidden: (detail: string) => new ProblemException({ type: 'forbidden', status: 403, detail }),
  unauthorized: () =>
    new ProblemException({
      type: 'unauthorized',
      status: 401,
      detail: 'send a valid token as Authorization: Bearer <token>',
    }),
  tooManyFailures: (retryAfterSeconds: number) =>
    new ProblemException({
      type: 'too-many-failures',
      status: 429,
      detail: `too many wrong tokens from this address: try again in ${retryAfterSeconds} s; a token that was valid lately is let in at any time`,
    }),
  unsupportedBody: () =>
    new ProblemException({ type: 'unsupported-body', status: 415, detail: 'send JSON in UTF-8, as application/json' }),
  bodyTooLarge: (maxBytes: number) =>
    new ProblemException({ type: 'body-too-large', status: 413, detail: `a body has at most ${maxBytes} bytes` }),
  conflict: (detail: string) => new ProblemException({ type: 'conflict', status: 409, detail }),
  invalid: (path: string, message: string) => invalidFields([{ path, message }]),
  invalidFields,
};

function invalidFields(errors: FieldError[]): ProblemException {
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return new ProblemException({ type: 'validation-failed', status: 400, detail, errors });
}
