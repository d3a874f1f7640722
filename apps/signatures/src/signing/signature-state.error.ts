import { ProblemException } from '@kernel/http';

/** The state of the request does not allow this transition. */
export class SignatureStateError extends ProblemException {
  constructor(detail: string) {
    super({ code: 'conflict', status: 409, detail });
  }
}
