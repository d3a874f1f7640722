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
  conflict: (detail: string) => new ProblemException({ type: 'conflict', status: 409, detail }),
  invalid: (path: string, message: string) => invalidFields([{ path, message }]),
  invalidFields,
};

function invalidFields(errors: FieldError[]): ProblemException {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new ProblemException({ type: 'validation-failed', status: 400, detail, errors });
}
