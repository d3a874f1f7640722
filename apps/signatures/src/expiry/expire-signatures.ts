import { EventPublisher } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Occasions } from '../signing/occasion.js';
import { SignatureRequests } from '../signing/signature-requests.js';

const BATCH = 100;

@Injectable()
export class ExpireSignatures {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: SignatureRequests,
    private readonly events: EventPublisher,
    private readonly occasions: Occasions,
  ) {}

  /** @returns the number of expired requests; a full batch means that there may be more */
  execute(): Promise<number> {
    return this.em.fork().transactional(async (em) => {
      const occasion = this.occasions.now();
      const due = await this.requests.lockDue(em, occasion.at, BATCH);
      due.forEach((request) => request.expire(occasion));
      await em.flush();
      await this.events.publishAll(due.flatMap((request) => request.takeEvents()));
      return due.length;
    });
  }
}
