import { ProblemException } from '@kernel/eventbus';

/** What a demo throws to show that neither the invoice nor its event survives a transaction that fails. */
export class SimulatedFailure extends ProblemException {
  constructor() {
    super({
      type: 'simulated-failure',
      status: 500,
      detail: 'the transaction failed as asked for; neither the invoice nor its event was kept',
    });
  }
}
