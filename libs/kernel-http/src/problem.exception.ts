import type { FieldIssue } from '@kernel/runtime';
import { HttpException } from '@nestjs/common';
import type { ProblemFacts } from './problem.js';
import { validationProblem } from './validation-problem.js';

/** Responds with exactly this problem document, and with these headers. */
export class ProblemException extends HttpException {
  constructor(
    readonly facts: ProblemFacts,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(facts.detail, facts.status);
  }
}

export const problems = {
  notFound: (what: string) =>
    new ProblemException({ code: 'not-found', status: 404, detail: `there is no such ${what}` }),
  forbidden: (detail: string) => new ProblemException({ code: 'forbidden', status: 403, detail }),
  unauthorized: () =>
    new ProblemException({
      code: 'unauthorized',
      status: 401,
      detail: 'send a valid token as Authorization: Bearer <token>',
    }),
  tooManyFailures: (retryAfterSeconds: number) =>
    new ProblemException({
      code: 'too-many-failures',
      status: 429,
      detail: `too many wrong tokens from this address: try again in ${retryAfterSeconds} s; a token that was valid lately is let in at any time`,
    }),
  unsupportedBody: () =>
    new ProblemException({ code: 'unsupported-body', status: 415, detail: 'send JSON in UTF-8, as application/json' }),
  bodyTooLarge: (maxBytes: number) =>
    new ProblemException({ code: 'body-too-large', status: 413, detail: `a body has at most ${maxBytes} bytes` }),
  malformedBody: () =>
    new ProblemException({ code: 'malformed-body', status: 400, detail: 'the body is not valid JSON: send an object' }),
  bodyNotParsed: () =>
    new ProblemException({
      code: 'body-not-parsed',
      status: 500,
      detail: 'the host application read the body and did not parse it: let it parse JSON, or leave the body unread',
    }),
  conflict: (detail: string) => new ProblemException({ code: 'conflict', status: 409, detail }),
  invalid: (path: string, message: string) => invalidFields([{ path, message }]),
  invalidFields,
};

function invalidFields(errors: FieldIssue[]): ProblemException {
  return new ProblemException(validationProblem(errors));
}
