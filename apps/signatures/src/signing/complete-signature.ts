import { EventPublisher } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SignatureKeys } from '../customers/signature-keys.js';
import { ChallengeCode } from './challenge-code.js';
import { Occasions } from './occasion.js';
import { MAX_ANSWERS, type Answered, type SignatureRequest } from './signature-request.js';
import { SignatureRequests } from './signature-requests.js';

export interface Completion {
  answered: Answered;
  answersLeft: number;
  request: SignatureRequest;
}

/**
 * A wrong answer is a fact too: it is counted and published, so the transaction commits before the caller gets the
 * error.
 */
@Injectable()
export class CompleteSignature {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: SignatureRequests,
    private readonly events: EventPublisher,
    private readonly keys: SignatureKeys,
    private readonly occasions: Occasions,
  ) {}

  execute(signatureRequestId: string, digits: string): Promise<Completion> {
    return this.em.transactional(async (em) => {
      const request = await this.requests.lock(em, signatureRequestId);
      const key = this.keys.ofChallenges(request.state.tenantId);
      const isRight = (hash: string) => ChallengeCode.of(digits).matches(hash, request.state.signatureRequestId, key);
      const answered = request.answer(isRight, this.occasions.now());
      await em.flush();
      await this.events.publishAll(request.takeEvents());
      return { answered, answersLeft: MAX_ANSWERS - request.state.failedAnswers, request };
    });
  }
}
