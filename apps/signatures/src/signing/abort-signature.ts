import { EventPublisher } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Occasions } from './occasion.js';
import type { SignatureRequest } from './signature-request.js';
import { SignatureRequests } from './signature-requests.js';
import type { AbortReason } from './signature.events.js';

@Injectable()
export class AbortSignature {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: SignatureRequests,
    private readonly events: EventPublisher,
    private readonly occasions: Occasions,
  ) {}

  execute(signatureRequestId: string, reason: AbortReason): Promise<SignatureRequest> {
    return this.em.transactional(async (em) => {
      const request = await this.requests.lock(em, signatureRequestId);
      request.abort(reason, this.occasions.now());
      await em.flush();
      await this.events.publishAll(request.takeEvents());
      return request;
    });
  }
}
