import { ProblemException } from '@kernel/eventbus';

/** The request is not in a state in which this can happen to it. */
export class SignatureStateError extends ProblemException {
  constructor(detail: string) {
    super({ type: 'conflict', status: 409, detail });
  }
}
