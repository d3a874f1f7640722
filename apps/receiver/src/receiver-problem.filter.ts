import { ProblemException, ProblemFilter } from '@kernel/http';
import { WebhookRefusedException } from '@kernel/inbox';
import { type ArgumentsHost, Catch } from '@nestjs/common';

/** The inbox does not depend on the kernel's filter, so its errors are mapped to problems here. */
@Catch()
export class ReceiverProblemFilter extends ProblemFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    super.catch(error instanceof WebhookRefusedException ? toProblem(error) : error, host);
  }
}

function toProblem(refused: WebhookRefusedException): ProblemException {
  return new ProblemException({ code: refused.type, status: refused.getStatus(), detail: refused.detail });
}
