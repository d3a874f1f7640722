import { EventPublisher } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SignatureKeys } from '../customers/signature-keys.js';
import { ChallengeCode } from '../signing/challenge-code.js';
import { Occasions } from '../signing/occasion.js';
import type { SignatureRequest } from '../signing/signature-request.js';
import { SignatureRequests } from '../signing/signature-requests.js';
import { CircuitBreakerOpened } from './circuit-breaker-opened.js';
import { GuardedProvider, type Sending } from './guarded-provider.js';

export interface SentChallenge {
  sending: Sending;
  request: SignatureRequest;
}

/**
 * The provider is called outside of any transaction, so no lock is held during the call. The result is recorded in one
 * transaction, also on failure.
 */
@Injectable()
export class SendChallenge {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: SignatureRequests,
    private readonly events: EventPublisher,
    private readonly provider: GuardedProvider,
    private readonly keys: SignatureKeys,
    private readonly occasions: Occasions,
  ) {}

  async execute(signatureRequestId: string): Promise<SentChallenge> {
    const request = await this.requests.find(signatureRequestId);
    request.requireOpen(this.occasions.now());
    const { tenantId, customerPseudonym, channel } = request.state;
    const code = ChallengeCode.random();
    const sending = await this.provider.send({
      ...{ signatureRequestId: request.state.signatureRequestId, tenantId, customerPseudonym, channel },
      code: code.digits,
    });
    switch (sending) {
      case 'sent':
        return { sending, request: await this.recordSent(signatureRequestId, code) };
      case 'failed':
        return { sending, request: await this.recordFailure(signatureRequestId) };
      case 'refused':
        return { sending, request };
    }
  }

  private recordSent(signatureRequestId: string, code: ChallengeCode): Promise<SignatureRequest> {
    return this.em.transactional(async (em) => {
      const request = await this.requests.lock(em, signatureRequestId);
      const key = this.keys.ofChallenges(request.state.tenantId);
      const hash = code.hashFor(request.state.signatureRequestId, key);
      request.challengeSent(hash, this.provider.name, this.occasions.now());
      await em.flush();
      await this.events.publishAll(request.takeEvents());
      return request;
    });
  }

  private recordFailure(signatureRequestId: string): Promise<SignatureRequest> {
    return this.provider.tellOpening((isOpening) =>
      this.em.transactional(async (em) => {
        const request = await this.requests.lock(em, signatureRequestId);
        const occasion = this.occasions.now();
        request.providerFailed(this.provider.name, occasion);
        const { name: provider, failures, openMs } = this.provider;
        const opened = isOpening ? [new CircuitBreakerOpened({ provider, failures, openMs }, occasion)] : [];
        await this.events.publishAll([...request.takeEvents(), ...opened]);
        return request;
      }),
    );
  }
}
