import { ProblemException } from '@kernel/http';

/** Thrown in demo mode to show that neither the invoice nor its event survives a failed transaction. */
export class SimulatedFailure extends ProblemException {
  constructor() {
    super({
      code: 'simulated-failure',
      status: 500,
      detail: 'the transaction failed as asked for; neither the invoice nor its event was kept',
    });
  }
}
