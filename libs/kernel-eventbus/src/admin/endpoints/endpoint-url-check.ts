import { Injectable } from '@nestjs/common';
import { problems } from '../../http/problem.exception.js';
import { OutgoingGuard } from '../../outgoing/outgoing-guard.js';

const DNS_PATIENCE_MS = 3_000;

/** Refuses a URL that could never be delivered to, before it is stored. Every attempt vets it again. */
@Injectable()
export class EndpointUrlCheck {
  constructor(private readonly guard: OutgoingGuard) {}

  async refuseForbidden(url: string): Promise<void> {
    const verdict = await this.guard.vet(url, AbortSignal.timeout(DNS_PATIENCE_MS));
    // A name that does not resolve now may do so by the time of the first delivery.
    if (!verdict.isAllowed && verdict.code !== 'dns' && verdict.code !== 'aborted') {
      throw problems.invalid('url', verdict.message);
    }
  }
}
